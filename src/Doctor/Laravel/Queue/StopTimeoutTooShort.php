<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class StopTimeoutTooShort implements Check
{
    /** Of Supervisor. */
    private const DEFAULT = 10;

    /** Of Laravel's documentation, where nothing ends a job. */
    private const LONG = 3600;

    private const LONGER = 30;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $findings = [];

        foreach ($facts->get(SupervisorPrograms::class)->programs as $program) {
            if (! $program->isOf($app->basePath)) {
                continue;
            }

            try {
                $finding = $this->of($app, new JobTimeouts($app, $facts), $program);
            } catch (FactUnavailable $e) {
                $finding = Finding::unknown($e->getMessage(), $e->command);
            }

            $findings[] = $finding->about("program {$program->name}");
        }

        return $findings === [] ? [
            Finding::skipped('no program of Supervisor starts a queue worker of this application'),
        ] : $findings;
    }

    private function of(Application $app, JobTimeouts $timeouts, SupervisorProgram $program): Finding
    {
        $wait = $program->wait ?? (string) self::DEFAULT;

        if (! ctype_digit($wait)) {
            throw FactUnavailable::because(
                "stopwaitsecs of the program {$program->name} is '{$wait}', which is no number of seconds.",
                "grep -n stopwaitsecs {$program->file}",
            );
        }

        $limit = $program->isHorizon ? $timeouts->ofSupervisors() : $timeouts->ofWorker(
            $program->connection ?? $app->text('queue.default'),
            $program->timeout ?? throw FactUnavailable::because(
                "A variable says --timeout of the program {$program->name}.",
                'ps -eo args | grep queue:',
            ),
        );
        $place = $program->waitLine === null ? 'default of Supervisor' : "{$program->file}:{$program->waitLine}";
        $evidence = [
            new Evidence('stopwaitsecs', "{$wait} s", $place),
            new Evidence('longest limit of its jobs', $limit === 0 ? 'none' : "{$limit} s", $program->isHorizon
                ? 'config/horizon.php and classes of jobs'
                : "command of {$program->file}:{$program->line} and classes of jobs"),
        ];

        if ((int) $wait > $limit && ($limit > 0 || (int) $wait >= self::LONG)) {
            return Finding::pass('it waits until the job is over', ...$evidence);
        }

        return Finding::fail(
            "Supervisor kills it {$wait} s after it was told to stop, and its jobs may take "
                .($limit === 0 ? 'forever.' : "{$limit} s."),
            $evidence,
            'Each deployment ends jobs in the middle, and they run once more.',
            $this->fix($program, $limit === 0 ? self::LONG : max(self::LONG, $limit + self::LONGER)),
        );
    }

    private function fix(SupervisorProgram $program, int $seconds): Fix
    {
        $line = "stopwaitsecs={$seconds}";

        return new Fix(
            "Let Supervisor wait for longer than a job takes: {$line}. A worker that is idle stops at once.",
            [$program->waitLine === null
                ? Edit::insert($program->file, $program->line + 1, $line)
                : Edit::replace($program->file, $program->waitLine, (string) $program->waitText, $line)],
            ['sudo supervisorctl reread', "sudo supervisorctl update {$program->name}"],
            'Put the line back.',
        );
    }
}
