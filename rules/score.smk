"""
Take an answer from every generation and count.

INPUTS
    results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl    every seed of the configuration
OUTPUTS
    results/{model}/eval-results/{benchmark}/metrics.json             answers from the last \\boxed{}
    results/{model}/eval-results/{benchmark}/metrics-{scorer}.json    answers as config/scorers/{scorer}.yaml reads them
    results/{model}/eval-results/{benchmark}/samples-{scorer}.csv     what each scorer made of each sample
"""
