<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * How a server process is to be started.
 *
 * @internal
 */
final readonly class ProcessOptions
{
    /**
     * @param string $name how messages call it
     * @param non-empty-list<string> $command
     * @param string $log takes what it prints
     * @param array<string, string> $env all it gets, besides PATH
     * @param non-empty-list<Signal> $farewell signals that ask it to end, the politest first; SIGKILL always comes last
     * @param ?UnixUser $account whom it runs as; null for whoever starts it
     */
    public function __construct(
        public string $name,
        public array $command,
        public string $log,
        public array $env = [],
        public array $farewell = [Signal::Terminate],
        public ?UnixUser $account = null,
    ) {}

    public function logTail(int $lines = 20): string
    {
        $text = is_file($this->log) ? (string) file_get_contents($this->log) : '';

        return implode("\n", array_slice(explode("\n", rtrim($text)), -$lines));
    }
}
