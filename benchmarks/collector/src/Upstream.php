<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;

/**
 * The third party that takes two seconds to answer.
 */
final readonly class Upstream
{
    private const PROCESSES = 4;

    /** @param list<ChildProcess> $daemons */
    private function __construct(private array $daemons, private TemporaryDirectory $directory, public string $url) {}

    public static function start(int $millis): self
    {
        $directory = TemporaryDirectory::create('upstream', null);
        $port = Ports::free();
        $daemons = array_map(
            static fn (int $number): ChildProcess => ChildProcess::start(new ProcessOptions(
                'upstream',
                [Programs::php(), __DIR__.'/../upstream.php', (string) $port, (string) $millis],
                $directory->file("{$number}.log"),
            )),
            range(1, self::PROCESSES),
        );

        foreach ($daemons as $daemon) {
            $daemon->awaitReady(static fn (): bool => Ports::accepts($port));
        }

        return new self($daemons, $directory, "http://127.0.0.1:{$port}/");
    }

    public function stop(): void
    {
        foreach ($this->daemons as $daemon) {
            $daemon->stop();
        }

        $this->directory->remove();
    }
}
