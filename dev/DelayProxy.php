<?php

declare(strict_types=1);

namespace Headroom\Dev;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\ChildProcess;
use Headroom\Process\InvalidServerConfig;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Signal;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * A TCP proxy with latency, in a process of its own: it delays every byte by half the round trip in each direction. It
 * replaces a database some milliseconds away where netem is not available.
 *
 * @internal
 */
final readonly class DelayProxy implements Stoppable
{
    private const LONGEST_MILLIS = 10_000;

    private function __construct(
        private ChildProcess $daemon,
        private TemporaryDirectory $directory,
        public string $host,
        public int $port,
    ) {}

    public function __destruct()
    {
        $this->stop();
    }

    /**
     * @param string $host host of the target
     * @param float $roundTripMillis milliseconds in both directions together
     * @param float $connectionMillis mean time that the server spends on a new connection, one after the other
     *
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(
        string $host,
        int $port,
        float $roundTripMillis,
        Clock $clock = new SystemClock,
        float $connectionMillis = 0.0,
    ): self {
        if ($roundTripMillis < 0.0 || $roundTripMillis > self::LONGEST_MILLIS) {
            throw InvalidServerConfig::number(
                'The round trip',
                $roundTripMillis,
                'from 0 to '.self::LONGEST_MILLIS.' milliseconds',
            );
        }

        if ($connectionMillis < 0.0 || $connectionMillis > self::LONGEST_MILLIS) {
            throw InvalidServerConfig::number(
                'The cost of a connection',
                $connectionMillis,
                'from 0 to '.self::LONGEST_MILLIS.' milliseconds',
            );
        }

        $directory = TemporaryDirectory::create('delay');
        $log = $directory->file('proxy.log');
        $script = __DIR__.'/delay-proxy.php';
        $command = [
            Programs::php(),
            $script,
            "--to={$host}:{$port}",
            "--round-trip-ms={$roundTripMillis}",
            "--connection-ms={$connectionMillis}",
        ];

        try {
            $daemon = ChildProcess::start(new ProcessOptions('The delaying proxy', $command, $log), $clock);
            $listening = static fn (): ?int
                => preg_match('/^listening on 127\.0\.0\.1:(\d+)$/m', $daemon->logTail(), $m) === 1
                    ? (int) $m[1]
                    : null;
            $daemon->awaitReady(static fn (): bool => $listening() !== null);
            $proxy = new self($daemon, $directory, '127.0.0.1', (int) $listening());
        } catch (UnableToFindProgram|UnableToStart $e) {
            $directory->remove();

            throw $e;
        }

        ShutdownHandler::stop($proxy);

        return $proxy;
    }

    public function pid(): int
    {
        return $this->daemon->pid;
    }

    /** Closes every connection and discards the bytes in flight. New connections are accepted. Needs ext-pcntl. */
    public function cutConnections(): void
    {
        $this->daemon->signal(Signal::User1);
    }

    public function stop(): void
    {
        $this->daemon->stop();
        $this->directory->remove();
    }
}
