<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use Headroom\Core\Clock;
use Headroom\Process\Programs;
use Headroom\Process\Supervision\DetachedProcess;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Illuminate\Contracts\Foundation\Application;

/**
 * Starts the doctor in a process of its own, which outlives the request. One at a time: a second process finds the lock
 * of the first and ends.
 *
 * @internal
 */
final readonly class DoctorLauncher
{
    public const COMMAND = 'headroom:doctor:background';

    private const INSTEAD = 'Run `php artisan headroom:doctor` on the server; the page shows its report.';

    public function __construct(private Application $app, private Clock $clock) {}

    /** @return ?string why it was not started, and the next step; null if it was */
    public function start(): ?string
    {
        $run = new DoctorRun($this->app, $this->clock);

        if ($run->isRunning()) {
            return 'It is running already.';
        }

        if (! $run->isWritable()) {
            return "{$this->app->storagePath('framework')} is not writable, so it cannot save its report. "
                .self::INSTEAD;
        }

        if (! function_exists('proc_open')) {
            return 'The host disables proc_open(). '.self::INSTEAD;
        }

        try {
            DetachedProcess::start(
                [Programs::php(), $this->app->basePath('artisan'), self::COMMAND],
                $this->app->basePath(),
            );
        } catch (UnableToFindProgram|UnableToStart $e) {
            return "{$e->getMessage()} ".self::INSTEAD;
        }

        return null;
    }
}
