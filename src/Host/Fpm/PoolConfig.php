<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Process\InvalidServerConfig;
use Headroom\Process\UnixUser;

/**
 * A pool with a fixed number of workers.
 *
 * @internal
 */
final readonly class PoolConfig
{
    // sun_path of unix(7), without the closing NUL.
    private const MAX_SOCKET_PATH = 107;

    /**
     * @param int<1, max> $workers
     * @param ?UnixUser $account of the workers; null keeps the starter's user,
     *     which FPM demands unless root starts it
     * @param int $backlog requests that wait for a worker; the kernel cuts it to net.core.somaxconn
     * @param int $requests FPM replaces a worker after this many; 0 means never
     * @param ?int $slowSeconds FPM writes one trace of a request that takes longer to slow.log, next
     *     to the log
     */
    public function __construct(
        public int $workers,
        public ?UnixUser $account = null,
        public ?int $requestTerminateSeconds = null,
        public ?string $statusPath = null,
        public int $backlog = 1024,
        public int $requests = 0,
        public ?int $slowSeconds = null,
    ) {
        if ($requestTerminateSeconds !== null && $requestTerminateSeconds < 1) {
            throw InvalidServerConfig::number(
                'The time limit of a request',
                $requestTerminateSeconds,
                '1 second or more, or null for none',
            );
        }

        if ($slowSeconds !== null && $slowSeconds < 1) {
            throw InvalidServerConfig::number(
                'The time after which a request is slow',
                $slowSeconds,
                '1 second or more, or null for never',
            );
        }

        if ($statusPath !== null && preg_match('#\A/[A-Za-z0-9/_.-]+\z#', $statusPath) !== 1) {
            throw InvalidServerConfig::text('The status path', $statusPath, 'a path such as /fpm-status');
        }
    }

    public function text(string $socket, string $log): string
    {
        if (strlen($socket) > self::MAX_SOCKET_PATH) {
            throw InvalidServerConfig::text(
                'The socket path of '.strlen($socket).' bytes',
                $socket,
                'at most '.self::MAX_SOCKET_PATH.' bytes long; set TMPDIR to a shorter directory',
            );
        }

        $lines = [
            '[global]',
            "error_log = {$log}",
            '[www]',
            "listen = {$socket}",
            "listen.backlog = {$this->backlog}",
            'listen.mode = 0600',
            'pm = static',
            "pm.max_children = {$this->workers}",
            "pm.max_requests = {$this->requests}",
            // The master's environment holds exactly the variables that the workers may see.
            'clear_env = no',
            'catch_workers_output = yes',
            'decorate_workers_output = no',
            // The name of a front controller need not end with .php.
            'security.limit_extensions =',
        ];

        if ($this->slowSeconds !== null) {
            // A Laravel request has more than the 20 frames that FPM writes by default.
            array_push(
                $lines,
                'slowlog = '.dirname($log).'/slow.log',
                "request_slowlog_timeout = {$this->slowSeconds}",
                'request_slowlog_trace_depth = 60',
            );
        }

        return implode("\n", [...$lines, ...$this->optional()])."\n";
    }

    /** @return list<string> */
    private function optional(): array
    {
        $lines = [];

        if ($this->account !== null) {
            array_push(
                $lines,
                "user = {$this->account->user}",
                "group = {$this->account->group}",
                "listen.owner = {$this->account->user}",
                "listen.group = {$this->account->group}",
            );
        }

        if ($this->requestTerminateSeconds !== null) {
            $lines[] = "request_terminate_timeout = {$this->requestTerminateSeconds}";
        }

        if ($this->statusPath !== null) {
            $lines[] = "pm.status_path = {$this->statusPath}";
        }

        return $lines;
    }
}
