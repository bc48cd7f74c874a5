<?php

declare(strict_types=1);

namespace Headroom\Bench\Servers;

use Closure;
use Headroom\Core\Clock;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;
use Throwable;

/**
 * A server on a loopback port with its data in a temporary directory. Both are removed with this object.
 *
 * @internal
 */
final readonly class ServerProcess implements Stoppable
{
    private const TRIES = 3;

    private const READY_MILLIS = 60_000;

    private function __construct(
        private ChildProcess $daemon,
        private TemporaryDirectory $directory,
        public int $port,
        public int $pid,
    ) {}

    /** @throws UnableToStart the user cannot enter TMPDIR */
    public static function directory(string $name, ?UnixUser $account): TemporaryDirectory
    {
        $directory = TemporaryDirectory::create($name, $account);
        $closed = $account === null ? null : $directory->closedTo($account);

        if ($account !== null && $closed !== null) {
            $directory->remove();

            throw UnableToStart::directory($closed, "entered by {$account->user}");
        }

        return $directory;
    }

    /**
     * @param Closure(int $port): ProcessOptions $launch
     * @param Closure(int $port, int $pid): bool $isReady true only for this server, once it is ready
     *
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(TemporaryDirectory $directory, Clock $clock, Closure $launch, Closure $isReady): self
    {
        for ($try = 1; ; $try++) {
            $port = Ports::free();
            $daemon = null;

            try {
                $daemon = ChildProcess::start($launch($port), $clock);
                $pid = $daemon->pid;
                $daemon->awaitReady(static fn (): bool => $isReady($port, $pid), self::READY_MILLIS);
                $instance = new self($daemon, $directory, $port, $pid);
                ShutdownHandler::stop($instance);

                return $instance;
            } catch (Throwable $e) {
                if ($try === self::TRIES || ! self::isTaken($e)) {
                    // Also after an exception that a signal handler threw while the server started.
                    $daemon?->stop();
                    $directory->remove();

                    throw $e;
                }
            }
        }
    }

    public function __destruct()
    {
        $this->stop();
    }

    public function stop(): void
    {
        $this->daemon->stop();
        $this->directory->remove();
    }

    /** Another process may have taken the port after it was found free. */
    private static function isTaken(Throwable $failure): bool
    {
        return $failure instanceof UnableToStart && preg_match('/address already in use/i', $failure->log) === 1;
    }
}
