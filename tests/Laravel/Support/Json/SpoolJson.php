<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Json;

use Headroom\Console\Spool\AdoptCommand;
use Headroom\Console\Spool\CleanCommand;
use Headroom\Console\Spool\DeadLetters\FailedCommand;
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
use Headroom\Console\Spool\SpoolCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Tests\Laravel\Support\Spool;
use PHPUnit\Framework\Assert;

/**
 * The --json output of each command of the spool, in a state that fills its lists as the example of the guide does.
 */
final readonly class SpoolJson
{
    private Spool $spool;

    public function __construct()
    {
        $this->spool = new Spool;
    }

    public function of(string $command): string
    {
        try {
            return $this->run($command);
        } finally {
            $this->spool->remove();
        }
    }

    private function run(string $command): string
    {
        return match ($command) {
            'spool:install' => (new HeadroomJson)->application('spool:install'),
            'spool:bench' => (new HeadroomJson)->application('spool:bench', '--seconds=1'),
            'spool:health' => $this->printed(
                HealthCommand::class,
                before: fn () => $this->spool->database()->statement('drop table api_events'),
            ),
            'spool:flush' => $this->printed(FlushCommand::class),
            'spool:status' => $this->printed(StatusCommand::class),
            'spool:clean' => $this->printed(CleanCommand::class),
            'spool:retire' => $this->printed(RetireCommand::class, ['bucket' => 'api-events']),
            'spool:peek' => $this->printed(PeekCommand::class, ['bucket' => 'api-events']),
            'spool:verify' => $this->printed(
                VerifyCommand::class,
                before: fn (): bool => $this->spool->run(FlushCommand::class)->exit === 0
                    && unlink("{$this->spool->path}/buckets/api-events/state"),
            ),
            'spool:adopt' => $this->printed(
                AdoptCommand::class,
                ['directory' => $this->spool->file('dead'), '--force' => true],
                fn () => rename($this->spool->path, $this->spool->file('dead')),
            ),
            'spool:failed' => $this->refused(FailedCommand::class),
            'spool:failed:show' => $this->refused(FailedShowCommand::class, ['id' => ['all']]),
            'spool:retry' => $this->refused(RetryCommand::class, ['id' => ['all']]),
            'spool:forget' => $this->refused(ForgetCommand::class, ['id' => ['all']]),
            'spool:replay' => $this->printed(ReplayCommand::class, [
                'bucket' => 'api-events',
                '--from-now' => true,
            ]),
            'spool:new-id' => $this->printed(NewIdCommand::class),
            'spool:pause', 'spool:resume' => $this->printed(
                $command === 'spool:pause' ? PauseCommand::class : ResumeCommand::class,
                ['bucket' => 'api-events'],
            ),
            'spool:restart' => $this->printed(RestartCommand::class),
            'spool:forget-node' => $this->printed(
                ForgetNodeCommand::class,
                ['--empty' => true],
                function (): void {
                    $this->spool->createNodes();
                    $this->spool->database()
                        ->table('spool_nodes')
                        ->insert([
                            'node' => str_repeat('5', 32),
                            'machine' => 'm',
                            'host' => 'web-3',
                            'pid' => 7,
                            'path' => '/b',
                            'since' => '2020-01-01 00:00:00',
                            'last_seen' => '2020-01-01 00:00:00',
                            'pending' => 0,
                            'dead' => 0,
                            'dropped' => 0,
                            'troubled' => 0,
                            'buckets' => '{}',
                        ]);
                },
            ),
            default => Assert::fail("{$command} has --json: say here how to run it."),
        };
    }

    /**
     * @param class-string<SpoolCommand> $command
     * @param array<string, mixed> $input
     */
    private function refused(string $command, array $input = []): string
    {
        return $this->printed($command, $input, function (): void {
            $this->spool->database()->statement('create unique index once on api_events (event)');
            $this->spool->add(1);
            $this->spool->run(FlushCommand::class);
        });
    }

    /**
     * @param class-string<SpoolCommand> $command
     * @param array<string, mixed> $input
     * @param ?callable(): mixed $before
     */
    private function printed(string $command, array $input = [], ?callable $before = null): string
    {
        $this->spool->add(1);
        $before === null ? null : $before();

        return $this->spool->run($command, [...$input, '--json' => true])->out;
    }
}
