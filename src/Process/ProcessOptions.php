<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * How to start and stop a server process.
 *
 * @internal
 */
final readonly class ProcessOptions
{
    /**
     * @param string $name name of the server in messages
     * @param non-empty-list<string> $command
     * @param string $log file for the output of the server
     * @param array<string, string> $env the only environment variables besides PATH
     * @param non-empty-list<Signal> $stopSignals signals that stop the server, the gentlest first;
     *     SIGKILL always follows
     * @param ?UnixUser $account user of the server; null keeps the user of this process
     */
    public function __construct(
        public string $name,
        public array $command,
        public string $log,
        public array $env = [],
        public array $stopSignals = [Signal::Terminate],
        public ?UnixUser $account = null,
    ) {}

    public function logTail(int $lines = 20): string
    {
        $text = is_file($this->log) ? (string) file_get_contents($this->log) : '';

        return implode("\n", array_slice(explode("\n", rtrim($text)), -$lines));
    }
}
