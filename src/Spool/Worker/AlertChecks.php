<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Spool\Alerts\AlertFile;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;
use Throwable;

/**
 * Starts the check of the alerts in a process of its own, about once a minute over all processes. A receiver that hangs
 * must delay no delivery, so nothing waits for that process.
 *
 * @internal
 */
final class AlertChecks
{
    private const INTERVAL_SECONDS = 50;

    /** The check ends itself earlier where it can. */
    private const KILL_NANOS = 120_000_000_000;

    private const SIGKILL = 9;

    /** @var resource|null */
    private $process = null;

    private int $startedAt = 0;

    /** @var list<string>|false|null null: not asked yet */
    private array|false|null $command = null;

    public function __construct(private readonly SpoolServices $spool) {}

    /** Never throws. Unless a check is due, it reads the status of one file. */
    public function startIfDue(): void
    {
        try {
            $this->command ??= $this->spool->alertCommand() ?? false;

            if ($this->command !== false && ! $this->isRunning() && $this->isDue()) {
                $this->start($this->command);
            }
        } catch (Throwable) {
            // The commands report an invalid configuration.
        }
    }

    private function isDue(): bool
    {
        $config = $this->spool->config();
        $file = new AlertFile($config->path, Permissions::of($config), $this->spool->clock());

        return $file->isDue(self::INTERVAL_SECONDS) && (new HeartbeatSender($this->spool))->hasCause();
    }

    /** @param list<string> $command */
    private function start(array $command): void
    {
        $nothing = ['file', '/dev/null', 'r+'];
        $pipes = [];
        $process = PhpRestrictions::call('proc_open', $command, [$nothing, $nothing, $nothing], $pipes);
        $this->process = is_resource($process) ? $process : null;
        $this->startedAt = $this->spool->clock()->monotonicNanos();
    }

    private function isRunning(): bool
    {
        if ($this->process === null) {
            return false;
        }

        if (proc_get_status($this->process)['running']) {
            if ($this->spool->clock()->monotonicNanos() - $this->startedAt > self::KILL_NANOS) {
                proc_terminate($this->process, self::SIGKILL);
            }

            return true;
        }

        $this->process = null;

        return false;
    }
}
