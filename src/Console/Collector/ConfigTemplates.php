<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\Server\Collector;
use Headroom\Support\EffectiveUser;

/**
 * @internal
 */
final readonly class ConfigTemplates
{
    /** Time that flushers may take after the workers have ended. */
    private const FLUSHER_SECONDS = 45;

    private const MORE_KIB = 1024;

    public function __construct(private Collector $collector) {}

    public function nginx(): string
    {
        $config = $this->collector->config();
        $path = $config->listen()->path;
        $server = $path === null
            ? str_replace(['tcp://0.0.0.0:', 'tcp://'], ['127.0.0.1:', ''], $config->listen()->uri)
            : "unix:{$path}";
        // Above the collector's own limit, so that the client gets the collector's error code and not a page of nginx.
        $body = (intdiv($config->limits()->message->bodyBytes, 1024) + self::MORE_KIB).'k';

        return <<<NGINX
            # Add a server line for each collector. nginx keeps these few connections open for any number of clients.
            upstream headroom_collector {
                server {$server} max_fails=0;
                keepalive 64;
            }

            server {
                # For TLS: listen 443 ssl, ssl_certificate and ssl_certificate_key. Replace the name with your own.
                listen 80;
                server_name events.example.com;
                client_max_body_size {$body};

                location / {
                    proxy_pass http://headroom_collector;
                    proxy_http_version 1.1;
                    proxy_set_header Connection "";
                    proxy_set_header Host \$host;
                    proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
                    proxy_connect_timeout 5s;
                    # If nginx sends a POST twice, events with ids, or with an Idempotency-Key, keep their ids.
                    proxy_next_upstream error timeout http_503 non_idempotent;
                    proxy_next_upstream_tries 2;
                }
            }

            NGINX;
    }

    public function systemd(): string
    {
        $command = implode(' ', array_map(self::word(...), $this->collector->command('collect')));
        $stop = $this->collector->config()->timeouts()->drain + self::FLUSHER_SECONDS;
        $directory = $this->collector->directory();
        $user = $this->user();

        return <<<UNIT
            [Unit]
            Description=Headroom event collector
            After=network.target

            [Service]
            Type=notify
            NotifyAccess=main
            User={$user}
            WorkingDirectory={$directory}
            # With PWD, a reload follows the symbolic link that a deploy has switched.
            Environment=PWD={$directory}
            ExecStart={$command}
            ExecReload=/bin/kill -USR2 \$MAINPID
            KillMode=mixed
            TimeoutStopSec={$stop}
            WatchdogSec=60
            Restart=always
            RestartSec=1
            LimitNOFILE=65536

            [Install]
            WantedBy=multi-user.target

            UNIT;
    }

    public function socket(): string
    {
        $address = $this->collector->config()->listen();
        $stream = $address->path ?? str_replace('tcp://', '', $address->uri);

        return <<<UNIT
            [Unit]
            Description=Headroom event collector, its address

            [Socket]
            ListenStream={$stream}
            Backlog=1024
            NoDelay=true
            Accept=no

            [Install]
            WantedBy=sockets.target

            UNIT;
    }

    public function supervisor(): string
    {
        $command = implode(' ', array_map(self::word(...), $this->collector->command('collect')));
        $stop = $this->collector->config()->timeouts()->drain + self::FLUSHER_SECONDS;

        return <<<INI
            [program:headroom-collector]
            command={$command}
            directory={$this->collector->directory()}
            user={$this->user()}
            autorestart=true
            stopsignal=TERM
            stopwaitsecs={$stop}
            ; The workers end by themselves when the collector ends.
            killasgroup=false
            stopasgroup=false
            redirect_stderr=true
            stdout_logfile=/var/log/headroom-collector.log

            INI;
    }

    private function user(): string
    {
        // Never root, which may be the user that prints this: the owner of the buffer instead.
        $uid = EffectiveUser::below($this->collector->spool->config()->path)->uid
            ?? (function_exists('posix_geteuid') ? posix_geteuid() : 0);
        $user = $uid === 0 ? false : posix_getpwuid($uid);

        return $user === false ? 'www-data' : $user['name'];
    }

    private static function word(string $word): string
    {
        return preg_match('~\A[\w@%+=:,./-]+\z~', $word) === 1 ? $word : '"'.addcslashes($word, '"\\').'"';
    }
}
