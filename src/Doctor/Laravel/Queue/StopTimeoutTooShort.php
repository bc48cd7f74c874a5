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
    /** The default of Supervisor. */
    private const DEFAULT = 10;

    /** The value of Laravel's documentation, if nothing ends a job. */
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
                $finding = self::ofProgram($app, new JobTimeouts($app, $facts), $program);
            } catch (FactUnavailable $e) {
                $finding = Finding::unavailable($e);
            }

            $findings[] = $finding->about("program {$program->name}");
        }

        return $findings === []
            ? [Finding::skipped('no program of Supervisor starts a queue worker of this application')]
            : $findings;
    }

    private static function ofProgram(Application $app, JobTimeouts $timeouts, SupervisorProgram $program): Finding
    {
        $wait = $program->wait ?? (string) self::DEFAULT;

        if (! ctype_digit($wait)) {
            throw FactUnavailable::because(
                "stopwaitsecs of the program {$program->name} is '{$wait}', which is not a number of seconds.",
                "grep -n stopwaitsecs {$program->file}",
            );
        }

        $limit = self::limit($app, $timeouts, $program);
        $place = $program->waitLine === null ? 'default of Supervisor' : "{$program->file}:{$program->waitLine}";
        $evidence = [
            new Evidence('stopwaitsecs', "{$wait} s", $place),
            new Evidence('longest limit of its jobs', $limit === 0 ? 'none' : "{$limit} s", $program->isHorizon
                ? 'config/horizon.php and classes of jobs'
                : "command of {$program->file}:{$program->line} and classes of jobs"),
        ];

        return (int) $wait > $limit && ($limit > 0 || (int) $wait >= self::LONG)
            ? Finding::pass('it waits until the job has ended', ...$evidence)
            : Finding::fail(
                "Supervisor kills it {$wait} s after the stop signal, and its jobs may take "
                    .($limit === 0 ? 'forever.' : "{$limit} s."),
                $evidence,
                'Each deployment kills running jobs, and they run again.',
                self::fix($program, $limit === 0 ? self::LONG : max(self::LONG, $limit + self::LONGER)),
            );
    }

    /** @return int seconds, 0 for no limit */
    private static function limit(Application $app, JobTimeouts $timeouts, SupervisorProgram $program): int
    {
        return $program->isHorizon ? $timeouts->ofSupervisors() : $timeouts->ofWorker(
            $program->connection ?? $app->text('queue.default'),
            $program->timeout ?? throw FactUnavailable::because(
                "A variable sets --timeout of the program {$program->name}.",
                'ps -eo args | grep queue:',
            ),
        );
    }

    private static function fix(SupervisorProgram $program, int $seconds): Fix
    {
        $line = "stopwaitsecs={$seconds}";
        $edit = $program->waitLine === null
            ? Edit::insert($program->file, $program->line + 1, $line)
            : Edit::replace($program->file, $program->waitLine, (string) $program->waitText, $line);

        return new Fix(
            "Let Supervisor wait for longer than a job takes: {$line}. An idle worker stops at once.",
            [$edit->effectiveAfter('sudo supervisorctl reread')],
            ["sudo supervisorctl update {$program->name}"],
        );
    }
}
