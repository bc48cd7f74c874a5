<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\MemberTypes;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The exit codes of the spool's commands and the names and types of what --json prints are promised to scripts. They
 * are kept in fixtures/json-members.json, one entry a command and state; `make snapshots` writes the file again, and a
 * release may only add members. Everything runs through artisan by name, so that the test outlives any class.
 */
#[Group('snapshot')]
final class JsonMembersTest extends ApplicationTestCase
{
    private MemberTypes $members;

    protected function setUp(): void
    {
        // A rate needs a second between two looks.
        $this->members = new MemberTypes(__DIR__.'/fixtures/json-members.json', ['in_per_second', 'out_per_second']);
        parent::setUp();
        $this->declare("['sink' => 'database', 'table' => 'api_events']");
        copy(
            dirname(__DIR__, 2).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php',
            $this->app->path('database/migrations/2026_01_01_000001_create_spool_nodes_table.php'),
        );
        $this->app->migrate();
    }

    #[Test, Group('day-2')]
    public function an_event_is_buffered_looked_at_and_delivered(): void
    {
        $this->answers('spool:flush: nothing was ever buffered', 'spool:flush');
        $this->answers('spool:status: nothing was ever buffered', 'spool:status');
        $this->buffer(3);
        $this->answers('spool:peek: events wait', 'spool:peek', 'api-events');
        $this->answers('spool:status: events wait', 'spool:status');
        $this->answers('spool:status: too many events wait', 'spool:status', '--max-pending=1');
        $this->answers('spool:flush: a limit', 'spool:flush', '--limit=1');
        $this->answers('spool:flush: delivered', 'spool:flush');
        $this->answers('spool:peek: nothing waits', 'spool:peek', 'api-events');
        $this->answers('spool:status: delivered', 'spool:status');
        $this->answers('spool:verify: all is well', 'spool:verify');
        $this->answers('spool:clean: a segment is old enough', 'spool:clean', '--older-than=0');
        $this->answers('spool:health: all is well', 'spool:health');
        $this->answers('spool:restart: requested', 'spool:restart');
        $this->ends('spool:work: nothing is left', 'spool:work', '--stop-when-empty', '--memory=1024');
        $this->answers('spool:install: installed', 'spool:install', '--force');
    }

    #[Test, Group('day-2')]
    public function a_bucket_is_paused_and_resumed(): void
    {
        $this->buffer(1);
        $this->answers('spool:pause: paused', 'spool:pause', 'api-events');
        $this->answers('spool:flush: paused', 'spool:flush');
        $this->answers('spool:status: paused', 'spool:status');
        $this->answers('spool:resume: resumed', 'spool:resume');
        $this->answers('spool:resume: nothing is paused', 'spool:resume');
    }

    #[Test, Group('day-2')]
    public function a_refused_event_is_a_dead_letter_until_it_is_retried_or_forgotten(): void
    {
        $this->app->execute('create unique index once on api_events (event)');
        $this->buffer(2);
        $this->answers('spool:flush: before a refusal', 'spool:flush');
        $this->buffer(2);
        $this->answers('spool:flush: refused events', 'spool:flush');
        $this->answers('spool:status: dead letters', 'spool:status');
        $list = $this->answers('spool:failed: a list', 'spool:failed', 'api-events');
        $this->answers('spool:failed: of all buckets', 'spool:failed');
        $this->answers('spool:failed:show: one in full', 'spool:failed:show', $this->letter($list));
        $this->ends('spool:failed:export: all', 'spool:failed:export');
        $this->answers(
            'spool:forget: one of two is not there',
            'spool:forget',
            $this->letter($list),
            'api-events:9-9-9',
        );
        $this->answers('spool:failed:show: it is gone', 'spool:failed:show', $this->letter($list));
        $this->app->execute('drop index once');
        $this->answers('spool:retry: all', 'spool:retry', 'all');
        $this->answers('spool:retry: there are none', 'spool:retry', 'all');
        $this->answers('spool:retry: no id', 'spool:retry');
        $this->answers('spool:flush: what was retried', 'spool:flush');
        $this->answers('spool:status: retried and forgotten', 'spool:status');
    }

    #[Test, Group('day-2')]
    public function a_delivery_that_fails_waits_and_is_tried_again(): void
    {
        $this->buffer(1);
        $this->app->execute('alter table api_events rename to elsewhere');
        $this->answers('spool:flush: failed', 'spool:flush');
        $waiting = $this->waiting();
        $this->members->assertSame('spool:flush: waits after a failure', $waiting->exit, $waiting->out);
        $this->answers('spool:status: in trouble', 'spool:status');
        $this->answers('spool:health: a table is missing', 'spool:health');
        $this->answers('spool:install: not healthy', 'spool:install', '--force');
        // Installing has published a configuration without buckets.
        $this->declare("['sink' => 'database', 'table' => 'api_events']");
        $this->app->execute('alter table elsewhere rename to api_events');
        $this->answers('spool:flush: tried at once', 'spool:flush', '--now');
    }

    #[Test, Group('day-2')]
    public function a_cursor_is_set_and_a_loss_is_found(): void
    {
        $this->buffer(3);
        $this->ends('spool:flush: for people', 'spool:flush');
        $this->answers('spool:replay: a dry run', 'spool:replay', 'api-events', '--from-start', '--dry-run');
        $this->answers('spool:replay: events would arrive twice', 'spool:replay', 'api-events', '--from-start');
        $this->answers('spool:replay: nothing arrives twice', 'spool:replay', 'api-events', '--from-now');
        $this->buffer(1);
        $this->ends('spool:flush: one limited by time', 'spool:flush', '--max-time=10');
        $this->damage();
        $this->answers('spool:verify: a damaged segment', 'spool:verify');
        $this->answers('spool:flush: a damaged segment', 'spool:flush');
        $this->answers('spool:status: a damaged segment', 'spool:status');
    }

    #[Test, Group('day-2')]
    public function a_machine_goes_and_another_delivers_its_events(): void
    {
        $this->buffer(2);
        $this->answers('spool:new-id: a copied disk', 'spool:new-id');
        $this->app->execute(
            'insert into spool_nodes (node, machine, host, pid, path, since, last_seen, pending, dead, dropped,'
                ." troubled, buckets) values ('55555555555555555555555555555555', 'm', 'web-3', 7, '/b', '2020-01-01"
                ." 00:00:00', '2020-01-01 00:00:00', 0, 0, 0, 0, '{}')",
        );
        $this->answers('spool:status: all machines', 'spool:status', '--all');
        $this->answers('spool:forget-node: an unknown machine', 'spool:forget-node', '7777');
        $this->answers('spool:forget-node: an empty machine', 'spool:forget-node', '--empty');
        rename($this->app->path('storage/app/private/buffer'), $this->app->path('storage/dead'));
        $this->answers('spool:adopt: a dry run', 'spool:adopt', $this->app->path('storage/dead'), '--dry-run');
        $this->answers('spool:adopt: not forced', 'spool:adopt', $this->app->path('storage/dead'));
        $this->answers('spool:adopt: delivered', 'spool:adopt', $this->app->path('storage/dead'), '--force');
        $this->answers('spool:adopt: no buffer', 'spool:adopt', $this->app->path('storage'), '--force');
    }

    #[Test, Group('day-2')]
    #[DataProvider('commands')]
    public function wrong_usage_and_a_wrong_configuration_have_exit_codes(string $command, string ...$arguments): void
    {
        $this->answers("{$command}: an unknown option", $command, ...[...array_values($arguments), '--no-such-option']);

        if (in_array('api-events', $arguments, true)) {
            $this->answers(
                "{$command}: an undeclared bucket",
                $command,
                ...str_replace('api-events', 'undeclared', array_values($arguments)),
            );
        }

        $this->app->config('spool', "['path' => 7]");
        $this->answers("{$command}: a wrong configuration", $command, ...array_values($arguments));
    }

    /** @return iterable<string, non-empty-list<string>> */
    public static function commands(): iterable
    {
        yield 'flush' => ['spool:flush', 'api-events'];
        yield 'pause' => ['spool:pause', 'api-events'];
        yield 'resume' => ['spool:resume', 'api-events'];
        yield 'peek' => ['spool:peek', 'api-events'];
        yield 'verify' => ['spool:verify', 'api-events'];
        yield 'failed' => ['spool:failed', 'api-events'];
        yield 'retry' => ['spool:retry', '--bucket=api-events'];
        yield 'forget' => ['spool:forget', 'all'];
        yield 'replay' => ['spool:replay', 'api-events', '--from-now'];
        yield 'status' => ['spool:status'];
        yield 'health' => ['spool:health'];
        yield 'clean' => ['spool:clean'];
        yield 'restart' => ['spool:restart'];
        yield 'forget a machine' => ['spool:forget-node', '--empty'];
        yield 'new-id' => ['spool:new-id'];
    }

    private function answers(string $case, string $command, string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan($command, ...[...array_values($arguments), '--json']);
        $this->members->assertSame($case, $outcome->exit, $outcome->out);

        return $outcome;
    }

    private function ends(string $case, string $command, string ...$arguments): void
    {
        $this->members->assertSame($case, $this->app->artisan($command, ...array_values($arguments))->exit, '');
    }

    /** The pause after a failure is random, from nothing to a limit that each failure doubles. */
    private function waiting(): Outcome
    {
        for ($failures = 1; $failures <= 30; $failures++) {
            $outcome = $this->app->artisan('spool:flush', '--json');

            if (str_contains($outcome->out, '"outcome": "waiting"')) {
                return $outcome;
            }

            $this->app->artisan('spool:flush', '--now');
        }

        self::fail('The flush never waited.');
    }

    private function declare(string $bucket): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'buckets' => ['api-events' => {$bucket}]]",
        );
    }

    private function buffer(int $count): void
    {
        self::assertSame(0, $this->app->artisan('app:buffer', (string) $count)->exit);
    }

    private function letter(Outcome $list): string
    {
        self::assertSame(1, preg_match('/"letter": "([\w-]+:[\d-]+)"/', $list->out, $found), $list->out);

        return $found[1];
    }

    /** Flips a byte of what is not delivered yet. */
    private function damage(): void
    {
        $this->buffer(2);
        $slots = glob($this->app->path('storage/app/private/buffer/buckets/api-events/active/*.log'));
        self::assertIsArray($slots);
        self::assertCount(1, $slots);
        $bytes = (string) file_get_contents($slots[0]);
        $place = (int) strpos($bytes, 'console-0');
        $bytes[$place] = 'C';
        file_put_contents($slots[0], $bytes);
    }
}
