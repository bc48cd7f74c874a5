<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;

/**
 * A server of fixtures/ in a process of its own.
 */
final readonly class HttpServer
{
    private function __construct(
        private ChildProcess $daemon,
        private TemporaryDirectory $directory,
        public int $port,
    ) {}

    /** @param string $address at which it listens; IPv6 in brackets */
    public static function start(string $fixture = 'server.php', string $address = '127.0.0.1'): self
    {
        $directory = TemporaryDirectory::create('load');
        $command = [
            Programs::php(),
            __DIR__."/fixtures/{$fixture}",
            $directory->file('port'),
            $directory->file('requests'),
            $address,
        ];
        $daemon = ChildProcess::start(
            new ProcessOptions('test server', $command, $directory->file('server.log'), [], [Signal::Terminate]),
        );
        $daemon->awaitReady(static fn (): bool => is_file($directory->file('port')));

        return new self($daemon, $directory, (int) file_get_contents($directory->file('port')));
    }

    public function url(string $path): string
    {
        return "http://127.0.0.1:{$this->port}{$path}";
    }

    /**
     * Every whole request that arrived so far.
     *
     * @return list<SeenRequest>
     */
    public function requests(): array
    {
        $lines = file($this->directory->file('requests'), FILE_IGNORE_NEW_LINES);

        return array_map(SeenRequest::fromLine(...), $lines === false ? [] : $lines);
    }

    public function stop(): void
    {
        $this->daemon->stop();
        $this->directory->remove();
    }
}
