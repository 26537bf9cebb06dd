/* A stand-in for a model server that costs next to nothing: streams made-up tokens at a given pace, to measure clients.
 *
 * usage: stub_stream TOKENS INTERVAL_US PIECE
 *   TOKENS a stream, one every INTERVAL_US microseconds (0: as fast as they are taken), each of PIECE characters.
 * Prints its port, then serves GET (the list of models) and POST (a chat completion) until it is killed. A request with
 * "max_tokens":1 gets one token at once. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 4096
#define ROOM 65536

struct connection {
    int fd, left, open;
    long long due;
    size_t in, out, sent;
    char request[ROOM];
    char reply[ROOM];
};

static struct connection *connections[CONNECTIONS];
static char token[ROOM], first[512], last[1024];
static size_t token_size, varying;
static unsigned said;
static int tokens, interval;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static int chunk(char *to, const char *event) {
    return sprintf(to, "%zx\r\n%s\r\n", strlen(event), event);
}

static void prepare(int piece) {
    static char text[ROOM / 2], event[ROOM - 100];
    for (int i = 0; i < piece; i++) text[i] = i ? 'a' + (i * 7) % 26 : ' ';
    sprintf(event, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"stub\",\"choices\":"
                   "[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}]}\n\n", text);
    token_size = chunk(token, event);
    varying = strstr(token, "\"content\":\"") + 12 - token;
    chunk(first, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"stub\",\"choices\":"
                 "[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n");
    int size = chunk(last, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"stub\","
                           "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
    size += chunk(last + size, "data: [DONE]\n\n");
    strcpy(last + size, "0\r\n\r\n");
}

static void drop(struct connection *c) {
    connections[c->fd] = NULL;
    close(c->fd);
    free(c);
}

static int flush(struct connection *c) {
    while (c->sent < c->out) {
        ssize_t n = send(c->fd, c->reply + c->sent, c->out - c->sent, MSG_NOSIGNAL);
        if (n < 0) return errno == EAGAIN ? 0 : -1;
        c->sent += n;
    }
    c->out = c->sent = 0;
    return 1;
}

static void put(struct connection *c, const char *text, size_t size) {
    memcpy(c->reply + c->out, text, size);
    c->out += size;
}

static void answer(struct connection *c, const char *body) {
    static const char models[] = "{\"data\":[{\"id\":\"stub\"}]}";
    char head[256];
    if (!strncmp(c->request, "GET", 3)) {
        int n = sprintf(head, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                        sizeof models - 1, models);
        put(c, head, n);
        return;
    }
    put(c, head, sprintf(head, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"));
    put(c, first, strlen(first));
    c->left = strstr(body, "\"max_tokens\":1,") ? 1 : tokens;
    c->open = 1;
    c->due = now();
}

/* Send what is due; returns -1 if the peer is gone. */
static int serve(struct connection *c, long long time) {
    int done = flush(c);
    while (done > 0 && c->open && time >= c->due) {
        while (c->left > 0 && c->out + token_size + sizeof last < ROOM && time >= c->due) {
            token[varying] = 'A' + said++ % 26; /* a model that repeats itself is refused by some clients */
            put(c, token, token_size);
            c->left--;
            c->due += interval;
            if (interval) break;
        }
        if (c->left == 0) {
            put(c, last, strlen(last));
            c->open = 0;
        }
        done = flush(c);
    }
    return done;
}

static int take(struct connection *c) {
    for (;;) {
        ssize_t n = recv(c->fd, c->request + c->in, ROOM - 1 - c->in, 0);
        if (n == 0) return -1;
        if (n < 0) return errno == EAGAIN ? 0 : -1;
        c->in += n;
        c->request[c->in] = 0;
        char *body = strstr(c->request, "\r\n\r\n"), *told = strcasestr(c->request, "content-length:");
        if (!body) continue;
        size_t size = told && told < body ? (size_t)atol(told + 15) : 0;
        if (c->in < (size_t)(body + 4 - c->request) + size) continue;
        answer(c, body + 4);
        c->in = 0;
        return 0;
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    tokens = atoi(argv[1]);
    interval = atoi(argv[2]);
    prepare(atoi(argv[3]));
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    bind(listener, (struct sockaddr *)&address, sizeof address);
    listen(listener, 4096);
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[512];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int busy = 0, count;
        for (int fd = 0; fd < CONNECTIONS && !busy; fd++) busy = connections[fd] && (connections[fd]->open || connections[fd]->out);
        count = epoll_wait(poll, events, 512, busy ? 1 : 1000);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    if (fd >= CONNECTIONS) { close(fd); continue; }
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    connections[fd] = calloc(1, sizeof(struct connection));
                    connections[fd]->fd = fd;
                    event.events = EPOLLIN;
                    event.data.fd = fd;
                    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
                }
            } else if (connections[fd] && take(connections[fd]) < 0) {
                drop(connections[fd]);
            }
        }
        long long time = now();
        for (int fd = 0; fd < CONNECTIONS; fd++)
            if (connections[fd] && (connections[fd]->open || connections[fd]->out) && serve(connections[fd], time) < 0)
                drop(connections[fd]);
    }
}
