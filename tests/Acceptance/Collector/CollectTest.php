<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector;

use Headroom\Collector\Server\UnableToServe;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Acceptance\Collector\Support\Traffic;
use Headroom\Tests\Acceptance\Collector\Support\Wire;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

#[Group('snapshot')]
final class CollectTest extends TestCase
{
    #[Test]
    public function one_command_takes_events_and_delivers_them(): void
    {
        $collector = Running::start(['workers' => 1, 'flushers' => 1]);

        // From the second on a worker keeps its file open, and has to give it back by itself.
        foreach (['first', 'second', 'mine'] as $id) {
            self::assertSame(202, (new Client($collector->address()))->event($id)->answer()[0]);
        }

        $collector->waitFor(
            static fn (Running $it): bool => is_file("{$it->directory}/out.ndjson")
                && str_contains((string) file_get_contents("{$it->directory}/out.ndjson"), '"id":"mine"'),
        );
        [$exit, $json] = $collector->command('collect:status', '--json');
        $status = json_decode($json, true);
        self::assertSame(0, $exit);
        self::assertIsArray($status);
        self::assertSame('running', $status['state']);
        self::assertStringContainsString('flusher 1', $collector->command('collect:status')[1]);
        [$exit, $output] = $collector->command('collect:stop');
        self::assertSame(0, $exit, $output);
        Snapshot::assertPrinted('collect:stop', 'it has stopped', $output);
        self::assertSame(0, $collector->exitCode());
        self::assertSame(1, $collector->command('collect:status')[0]);
    }

    #[Test]
    public function its_own_directory_is_not_foreign_to_the_buffer(): void
    {
        $collector = Running::start(['workers' => 1]);
        $collector->command('collect:key', 'create', 'shop');
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);

        $health = (array) json_decode($collector->command('spool:health', '--json')[1], true);
        self::assertIsArray($health['problems']);
        self::assertSame(
            [],
            preg_grep("~^{$collector->directory}/spool/~", array_column($health['problems'], 'subject')),
        );
    }

    #[Test]
    public function an_acknowledged_event_is_synced_though_the_bucket_says_nothing(): void
    {
        $collector = Running::start(['workers' => 1]);
        (new Client($collector->address()))->event('a')->answer();
        $slot = glob("{$collector->directory}/spool/buckets/events/active/*.log");

        self::assertNotFalse($slot);
        // The header frame says that the file's entry is on disk: only durability power writes it so.
        self::assertSame(
            Frame::ENTRY_SYNCED,
            substr((string) file_get_contents($slot[0]), 0, strlen(Frame::ENTRY_SYNCED)),
        );
    }

    #[Test]
    public function probes_are_on_both_addresses_and_metrics_on_one(): void
    {
        $collector = Running::start(['workers' => 1]);

        foreach ([$collector->address(), $collector->admin()] as $address) {
            self::assertSame([200, "ok\n"], Client::fetch($address, '/livez'));
            [$status, $ready] = Client::fetch($address, '/readyz');
            self::assertSame(200, $status);
            self::assertMatchesRegularExpression('/\Aok\ndelivery: (?:delivering|unknown)\n\z/', $ready);
        }

        self::assertSame(404, Client::fetch($collector->address(), '/metrics')[0]);
        self::assertSame(404, Client::fetch($collector->admin(), '/v1/events')[0]);
        [$status, $metrics] = Client::fetch($collector->admin(), '/metrics');
        self::assertSame(200, $status);
        self::assertMatchesRegularExpression(
            '/^# TYPE headroom_connections gauge\nheadroom_connections \d+$/m',
            $metrics,
        );
    }

    #[Test, Group('day-1')]
    public function a_sink_that_is_down_is_seen_and_is_no_reason_to_send_elsewhere(): void
    {
        $home = TemporaryDirectory::create('collector');
        $spool = [
            'path' => "{$home->path}/spool",
            'buckets' => ['events' => ['sink' => 'http', 'url' => 'http://127.0.0.1:1/']],
        ];
        $collector = Running::start(['workers' => 1, 'flushers' => 1], $spool, home: $home);
        (new Client($collector->address()))->event('a')->answer();
        $ready = [];
        $collector->waitFor(static function () use ($collector, &$ready): bool {
            $ready = Client::fetch($collector->address(), '/readyz');

            return $ready[1] !== "ok\ndelivery: delivering\n" && $ready[1] !== "ok\ndelivery: unknown\n";
        });

        self::assertSame([200, "ok\ndelivery: retrying\n"], $ready);
    }

    #[Test, Group('day-3')]
    public function an_event_that_failed_first_and_arrived_then_is_in_the_metrics(): void
    {
        $home = TemporaryDirectory::create('collector');
        $collector = Running::start(
            ['workers' => 1, 'flushers' => 1],
            ['buckets' => ['events' => ['sink' => 'file', 'path' => "{$home->path}/later/out.ndjson"]]],
            home: $home,
        );
        self::assertSame(
            202,
            Wire::ask(
                $collector->address(),
                'POST',
                '/v1/events',
                ['Content-Type: application/json'],
                '[{"type":"a"},{"type":"b"}]',
            )[0],
        );
        $collector->waitFor(static fn (Running $it): bool => preg_match(
            '/"failed": [1-9]/',
            $it->command('spool:status', '--json')[1],
        ) === 1);
        mkdir("{$home->path}/later");
        $metrics = '';
        $collector->waitFor(static function (Running $it) use (&$metrics): bool {
            $metrics = Client::fetch($it->admin(), '/metrics')[1];

            return str_contains($metrics, 'headroom_sink_events_delivered_total{bucket="events",sink="file"} 2')
                && str_contains($metrics, 'headroom_spool_segments{bucket="events"} 0');
        });

        self::assertSame(1, preg_match(
            '/^# TYPE headroom_sink_delivery_failures_total counter\n'
                .'headroom_sink_delivery_failures_total\{bucket="events",sink="file"\} ([1-9]\d*)$/m',
            $metrics,
            $failed,
        ), $metrics);
        self::assertStringContainsString(
            '# TYPE headroom_sink_events_retried_total '
                ."counter\nheadroom_sink_events_retried_total{bucket=\"events\",sink=\"file\"} "
                .(2 * (int) $failed[1])."\n",
            $metrics,
        );
        self::assertStringContainsString(
            "# TYPE headroom_spool_segments gauge\nheadroom_spool_segments{bucket=\"events\"} 0\n",
            $metrics,
        );
    }

    #[Test]
    public function it_takes_over_the_unix_socket_of_a_killed_collector(): void
    {
        $home = TemporaryDirectory::create('collector');
        $path = "unix:{$home->path}/c.sock";
        $first = Running::start(['listen' => $path, 'admin' => 0, 'workers' => 1], home: $home);
        self::assertSame(202, (new Client($first->address()))->event('a')->answer()[0]);
        posix_kill($first->pid, SIGKILL);
        posix_kill(array_values($first->pids())[0], SIGKILL);

        $second = Running::start(['listen' => $path, 'admin' => 0, 'workers' => 1], home: $home);
        self::assertSame($path, $second->address());
        self::assertSame(202, (new Client($second->address()))->event('b')->answer()[0]);
    }

    /** The applications and the collector often run as two users, and the first of them creates the directories. */
    #[Test]
    public function its_files_have_the_modes_of_the_buffer(): void
    {
        $collector = Running::start(
            ['workers' => 1],
            ['dir_mode' => 02770, 'file_mode' => 0660],
            before: ['sh', '-c', 'umask 027; exec "$@"', 'sh'],
        );
        $root = "{$collector->directory}/spool";

        foreach ([$root, "{$root}/collector", "{$root}/collector/metrics"] as $directory) {
            self::assertSame('42770', sprintf('%o', fileperms($directory)), $directory);
        }

        foreach (['collector.lock', 'pid.json', 'status.json'] as $file) {
            self::assertSame('100660', sprintf('%o', fileperms("{$root}/collector/{$file}")), $file);
        }
    }

    #[Test]
    public function a_second_collector_of_the_same_buffer_is_refused(): void
    {
        $collector = Running::start(['workers' => 1]);
        [$exit, $output] = $collector->command('collect');

        self::assertSame(1, $exit);
        self::assertMatchesRegularExpression("~\b{$collector->pid}\b.*/collector\.lock~", $output);
    }

    #[Test, Group('day-1')]
    #[TestWith([SIGTERM])]
    #[TestWith([SIGINT])]
    public function a_stop_under_load_loses_nothing(int $signal): void
    {
        $collector = Running::start(['timeouts' => ['drain_idle' => 1]]);
        $traffic = (new Traffic($collector->address(), mayFail: true))->run(
            static fn (Traffic $it): bool => count($it->acknowledged) > 1000 && posix_kill($collector->pid, $signal),
        );

        self::assertSame(0, $collector->exitCode());
        self::assertFalse(@stream_socket_client('tcp://'.$collector->address()));
        self::assertSame('', $traffic->differsFrom($collector->collected()));
    }

    #[Test]
    public function printed_configurations_are_those_of_this_set_up(): void
    {
        $collector = Running::start(['workers' => 1]);

        self::assertStringContainsString('server 127.0.0.1:0', $collector->command('collect:config', 'nginx')[1]);
        self::assertMatchesRegularExpression(
            '~^ExecStart=.*/bin/headroom collect$~m',
            $collector->command('collect:config', 'systemd')[1],
        );
        self::assertDoesNotMatchRegularExpression(
            '/^user=root$/im',
            $collector->command('collect:config', 'systemd')[1].$collector->command('collect:config', 'supervisor')[1],
        );
        self::assertStringContainsString('stopwaitsecs=75', $collector->command('collect:config', 'supervisor')[1]);
        self::assertSame(2, $collector->command('collect:config', 'apache')[0]);
    }

    /** Installed, and by no means enabled for everybody. */
    #[Test]
    #[TestWith(['event'])]
    #[TestWith(['ev'])]
    #[TestWith(['uv'])]
    public function it_takes_the_loop_of_an_extension(string $extension): void
    {
        if (! is_file(PHP_EXTENSION_DIR."/{$extension}.so") || extension_loaded($extension)) {
            self::markTestSkipped("The extension {$extension} is not installed, or loaded everywhere.");
        }

        $home = TemporaryDirectory::create('collector');
        file_put_contents("{$home->path}/loop.ini", "extension={$extension}");
        $collector = Running::start(
            ['workers' => 1],
            env: ['PHP_INI_SCAN_DIR' => getenv('PHP_INI_SCAN_DIR').":{$home->path}"],
            home: $home,
        );
        self::assertMatchesRegularExpression("/\\bext-{$extension}\\b/", $collector->log());

        $client = new Client($collector->address());
        $ids = [];

        for ($number = 0; $number < 200; $number++) {
            $client->event($ids[] = "e-{$number}");
        }

        foreach ($ids as $id) {
            self::assertSame(202, $client->answer()[0], $id);
        }

        posix_kill($collector->pid, SIGHUP);
        $collector->waitFor(static fn (Running $it): bool => $it->status()['reload'] === 'done');
        self::assertSame(202, (new Client($collector->address()))->event('after')->answer()[0]);
        posix_kill($collector->pid, SIGTERM);
        self::assertSame(0, $collector->exitCode(), $collector->log());
        self::assertEqualsCanonicalizing([...$ids, 'after'], $collector->collected());
    }

    #[Test]
    public function without_an_event_loop_it_names_the_package_and_other_commands_work(): void
    {
        $home = TemporaryDirectory::create('collector');
        Running::configure($home->path);
        $run = static function (string ...$words) use ($home): array {
            $process = new Process(
                [PHP_BINARY, __DIR__.'/fixtures/without-react.php', ...array_values($words)],
                $home->path,
            );

            return [$process->run(), $process->getOutput(), $process->getErrorOutput()];
        };

        [$exit, $output, $errors] = $run('collect');
        $refusal = UnableToServe::missing(
            'react/event-loop',
            'composer require react/event-loop:^1.5 react/socket:^1.16',
        );
        self::assertSame([1, "{$refusal->getMessage()}\n"], [$exit, $output.$errors]);
        self::assertDirectoryDoesNotExist("{$home->path}/spool");

        foreach ([
            ['collect:key', 'create', 'shop'],
            ['collect:config', 'nginx'],
            ['spool:status'],
            ['collect:publish'],
        ] as $words) {
            self::assertSame([0, ''], [$run(...$words)[0], $run(...$words)[2]], implode(' ', $words));
        }

        $home->remove();
    }

    #[Test]
    public function wrong_settings_are_named(): void
    {
        $home = TemporaryDirectory::create('collector');
        Running::configure($home->path, ['listen' => 'nowhere']);
        [$exit, $output] = Running::run($home->path, 'collect');
        $home->remove();

        self::assertSame(1, $exit);
        Sentence::assertIn(InvalidConfig::notAllowed('collector.listen', 'nowhere', Sentence::ANY), $output);
    }
}
