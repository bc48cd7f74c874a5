<?php

declare(strict_types=1);

namespace Headroom\Console\Registry;

use Closure;
use Headroom\Console\Collector\CollectCommand;
use Headroom\Console\Collector\CollectConfigCommand;
use Headroom\Console\Collector\CollectInstallCommand;
use Headroom\Console\Collector\CollectKeyCommand;
use Headroom\Console\Collector\CollectPublishCommand;
use Headroom\Console\Collector\CollectReloadCommand;
use Headroom\Console\Collector\CollectStatusCommand;
use Headroom\Console\Collector\CollectStopCommand;
use Headroom\Console\Collector\CollectWorkerCommand;
use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Console\Doctor\DoctorTopCommand;
use Headroom\Console\Load\LoadCommand;
use Headroom\Console\Load\LoadCompareCommand;
use Headroom\Console\Load\LoadWorkerCommand;
use Headroom\Console\Logs\LogsErrorCommand;
use Headroom\Console\Logs\LogsSlowCommand;
use Headroom\Console\Preload\BenchPreloadCommand;
use Headroom\Console\Preload\PreloadCommand;
use Headroom\Console\Preload\PreloadStatusCommand;
use Headroom\Console\Spool\AdoptCommand;
use Headroom\Console\Spool\CleanCommand;
use Headroom\Console\Spool\DeadLetters\FailedCommand;
use Headroom\Console\Spool\DeadLetters\FailedExportCommand;
use Headroom\Console\Spool\DeadLetters\FailedShowCommand;
use Headroom\Console\Spool\DeadLetters\ForgetCommand;
use Headroom\Console\Spool\DeadLetters\RetryCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\ForgetNodeCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\NewIdCommand;
use Headroom\Console\Spool\PauseCommand;
use Headroom\Console\Spool\PeekCommand;
use Headroom\Console\Spool\ReplayCommand;
use Headroom\Console\Spool\RestartCommand;
use Headroom\Console\Spool\ResumeCommand;
use Headroom\Console\Spool\RetireCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Console\Spool\WorkCommand;
use Symfony\Component\Console\Command\Command as SymfonyCommand;
use Symfony\Component\Console\Command\LazyCommand;

/**
 * The commands with their names and descriptions. They are repeated here because reading them from the attributes of
 * the classes would load every command class each time artisan runs.
 *
 * @internal
 */
final readonly class CommandList
{
    /** @var array<class-string<SymfonyCommand>, array{string, string}> name and description */
    public const SPOOL = [
        FlushCommand::class => ['spool:flush', 'Deliver the events in the buffer to their sinks'],
        WorkCommand::class => ['spool:work', 'Deliver events continuously until you stop it'],
        StatusCommand::class => ['spool:status', 'Show how many events are accepted, delivered and pending'],
        CleanCommand::class => ['spool:clean', 'Remove delivered segments that are old enough'],
        RetireCommand::class => ['spool:retire', 'Remove an empty bucket that is no longer declared'],
        HealthCommand::class => [
            'spool:health', 'Check everything that the buffer needs, and show how to fix problems',
        ],
        PauseCommand::class => ['spool:pause', 'Stop the delivery of a bucket; it still accepts events'],
        ResumeCommand::class => ['spool:resume', 'Resume the delivery of a paused bucket'],
        RestartCommand::class => ['spool:restart', 'Restart the workers after their current delivery, for a deploy'],
        PeekCommand::class => ['spool:peek', 'Show the events that come next, without delivering them'],
        VerifyCommand::class => [
            'spool:verify', 'Compare everything on disk with the counts of accepted and delivered events',
        ],
        AdoptCommand::class => [
            'spool:adopt', 'Deliver the events that a dead machine or an old release left in its buffer',
        ],
        FailedCommand::class => ['spool:failed', 'List the dead letters: events that their sink refused'],
        FailedShowCommand::class => ['spool:failed:show', 'Show dead letters with their events'],
        FailedExportCommand::class => ['spool:failed:export', 'Print dead letters as lines of JSON'],
        RetryCommand::class => ['spool:retry', 'Put dead letters back into the buffer'],
        ForgetCommand::class => ['spool:forget', 'Delete dead letters'],
        ReplayCommand::class => ['spool:replay', 'Set the position in the log from which the next flush delivers'],
        NewIdCommand::class => ['spool:new-id', 'Give this disk a new id after a restore or a copy'],
        ForgetNodeCommand::class => ['spool:forget-node', 'Remove a machine that is gone from spool:status --all'],
    ];

    /**
     * @var array<class-string<SymfonyCommand>, array{0: string, 1: string, 2?: bool}> name, description,
     *     whether it is hidden
     */
    public const TOOLS = [
        CollectCommand::class => ['collect', 'Accept events over HTTP until you stop it'],
        CollectWorkerCommand::class => [
            'collect:worker', 'Run one worker of the collector, which starts this itself', true,
        ],
        CollectReloadCommand::class => [
            'collect:reload', 'Replace the processes of the collector one by one without refusing a request',
        ],
        CollectStopCommand::class => ['collect:stop', 'Stop the collector after it has answered the open requests'],
        CollectStatusCommand::class => ['collect:status', 'Show the processes of the collector'],
        CollectConfigCommand::class => [
            'collect:config', 'Print a configuration of nginx, systemd or Supervisor for this collector',
        ],
        CollectInstallCommand::class => [
            'collect:install', 'Create the data stream, index template, retention or table that buckets deliver into',
        ],
        CollectKeyCommand::class => ['collect:key', 'Create, list or revoke the API keys of the collector'],
        CollectPublishCommand::class => [
            'collect:publish', 'Publish a front controller that accepts events without booting the application',
        ],
        DoctorCommand::class => ['doctor', 'Find the bottleneck of this stack, and show how to fix it'],
        DoctorTopCommand::class => ['doctor:top', 'Show what each PHP-FPM process does, and how many requests wait'],
        LogsSlowCommand::class => ['logs:slow', "Show from PHP-FPM's slow log what requests wait for"],
        LogsErrorCommand::class => [
            'logs:error', 'Summarize error logs of nginx and PHP-FPM, with the next step for each problem',
        ],
        PreloadCommand::class => [
            'preload', 'Generate a preload script for opcache, prove that no page changes, and install it',
        ],
        PreloadStatusCommand::class => [
            'preload:status', 'Show what PHP-FPM has preloaded, and whether that is what was proven',
        ],
        BenchPreloadCommand::class => ['bench:preload', 'Measure what preloading saves for this application'],
        LoadCommand::class => ['load', 'Send HTTP requests to a URL and measure the responses'],
        LoadWorkerCommand::class => [
            'load:worker', 'Run one process of load --processes, which starts this itself', true,
        ],
        LoadCompareCommand::class => ['load:compare', 'Show what changed between two results of load'],
    ];

    /**
     * @param array<class-string<SymfonyCommand>, array{0: string, 1: string, 2?: bool}> $commands
     * @param Closure(class-string<SymfonyCommand>): SymfonyCommand $make called when the command is called
     * @return list<SymfonyCommand>
     */
    public static function lazy(array $commands, Closure $make, string $prefix = ''): array
    {
        $lazy = [];

        foreach ($commands as $class => $command) {
            $lazy[] = new LazyCommand(
                $prefix.$command[0],
                [],
                $command[1],
                $command[2] ?? false,
                static fn (): SymfonyCommand => $make($class),
            );
        }

        return $lazy;
    }
}
