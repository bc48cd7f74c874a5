<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Laravel\Queue\JobTimeouts;
use Headroom\Doctor\Laravel\Queue\SupervisorProgram;
use Headroom\Doctor\Laravel\Queue\SupervisorPrograms;

/**
 * @internal
 */
final readonly class StopTimeoutTooShort implements Check
{
    /** The value of Laravel's documentation, if nothing ends a job. */
    private const LONG = 3600;

    private const LONGER = 30;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $own = array_filter(
            $facts->get(SupervisorPrograms::class)->programs,
            static fn (SupervisorProgram $program): bool => $program->isOf($app->basePath),
        );

        foreach ($own as $program) {
            yield Finding::from(static fn (): Finding => self::ofProgram($program, new JobTimeouts($app, $facts)))
                ->about("program {$program->name}");
        }

        if ($own === []) {
            yield Finding::skipped('no program of Supervisor starts a queue worker of this application');
        }
    }

    private static function ofProgram(SupervisorProgram $program, JobTimeouts $timeouts): Finding
    {
        $wait = $program->stopSeconds();
        $limit = $timeouts->ofProgram($program);
        $words = $limit === 0 ? 'none' : "{$limit} s";
        $evidence = [
            $program->stopEvidence(),
            new Evidence('longest limit of its jobs', $words, $program->isHorizon
                ? 'config/horizon.php and classes of jobs'
                : "command of {$program->file}:{$program->line} and classes of jobs"),
        ];

        return $wait > $limit && ($limit > 0 || $wait >= self::LONG)
            ? Finding::pass('Supervisor waits until the job has ended', ...$evidence)
            : Finding::fail(
                "Supervisor kills it {$wait} s after the stop signal, and its jobs may take "
                    .($limit === 0 ? 'forever.' : "{$words}."),
                $evidence,
                new Fix(
                    changes: [$program->withStopSeconds(max(self::LONG, $limit === 0 ? 0 : $limit + self::LONGER))],
                    commands: ["sudo supervisorctl update {$program->name}"],
                ),
            );
    }
}
