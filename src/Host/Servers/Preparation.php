<?php

declare(strict_types=1);

namespace Headroom\Host\Servers;

use Headroom\Host\Account;
use Headroom\Host\Environment;
use Headroom\Host\Leash;
use Headroom\Host\Signal;
use Headroom\Host\TemporaryDirectory;
use Headroom\Host\UnableToStart;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/**
 * What has to be done once before a database can be started on a directory. Where it fails the directory is removed.
 *
 * @internal
 */
final readonly class Preparation
{
    private const SECONDS = 120;

    public function __construct(private TemporaryDirectory $directory, private ?Account $account) {}

    /**
     * @param non-empty-list<string> $command
     *
     * @throws UnableToStart with what it printed last
     */
    public function run(array $command, string $input = ''): void
    {
        $command = Leash::around($command, Signal::Kill, $this->account);
        // In a folder that the account may enter: the starter's may be closed to it.
        $process = new Process($command, $this->directory->path, Environment::exactly([]), $input, self::SECONDS);

        try {
            $code = $process->run();
        } catch (ProcessTimedOutException) {
            $code = null;
        }

        if ($code !== 0) {
            $this->directory->remove();

            throw UnableToStart::exited($this->program($command), $code, rtrim($process->getOutput().$process->getErrorOutput()));
        }
    }

    /** @param non-empty-list<string> $command */
    private function program(array $command): string
    {
        $at = array_search('--', $command, true);

        return basename($command[$at === false ? 0 : $at + 1] ?? $command[0]);
    }
}
