<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Collector\InstallCommand;
use Headroom\Process\Ports;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Support\ClickHouse\ClickHouseServer;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\OpenSearch\OpenSearchServer;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * collect:install against a real OpenSearch and a real ClickHouse; what they do not have, against a scripted server.
 */
#[Group('snapshot')]
final class CollectInstallTest extends TestCase
{
    private Spool $spool;

    private string $name;

    protected function setUp(): void
    {
        $this->spool = new Spool([]);
        $this->name = 'install-'.bin2hex(random_bytes(6));
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function an_index_is_set_up_once_and_takes_events(): void
    {
        $server = $this->openSearch();

        try {
            self::assertSame([0, ["made headroom-{$this->name}", "made {$this->name}"]], $this->steps());
            self::assertSame([0, ["there headroom-{$this->name}", "there {$this->name}"]], $this->steps());

            $this->spool->runtime()->buffer()->bucket('events')->add([
                'id' => '1',
                'source' => 's',
                'type' => 'order.placed',
                'time' => '2026-07-14T03:33:20.123456Z',
                'data' => ['total' => ['eur' => 19.99]],
            ]);
            self::assertNull($this->spool->runtime()->flusher()->flush('events')->failure);
            $server->ask('POST', "/{$this->name}/_refresh");
            $found = $server->ask('POST', "/{$this->name}/_search", ['query' => ['bool' => ['filter' => [
                ['term' => ['type' => 'order.placed']],
                ['term' => ['data.total.eur' => '19.99']],
                ['range' => ['@timestamp' => [
                    'gte' => '2026-07-14T03:33:20.123Z',
                    'lt' => '2026-07-14T03:33:20.124Z',
                ]]],
            ]]]]);
            self::assertSame(1, Dug::out($found, 'hits', 'total', 'value'), (string) json_encode($found));
        } finally {
            $this->cleanUp($server);
        }
    }

    #[Test]
    public function a_dry_run_prints_the_requests_and_makes_nothing(): void
    {
        $server = $this->openSearch();
        [$exit, $out] = $this->install(['--dry-run' => true]);

        self::assertSame(0, $exit);
        self::assertMatchesRegularExpression(
            "~^events: .* headroom-{$this->name}: .*\nPUT /_index_template/headroom-{$this->name}\n\\{~m",
            $out,
        );
        self::assertStringContainsString('"type": "flat_object"', $out);
        self::assertStringContainsString("PUT /_data_stream/{$this->name}", $out);
        self::assertSame(404, $server->ask('GET', "/_index_template/headroom-{$this->name}")['status'] ?? null);
        self::assertSame(404, $server->ask('GET', "/_data_stream/{$this->name}")['status'] ?? null);
    }

    #[Test]
    public function a_template_of_another_program_is_left_alone(): void
    {
        $server = $this->openSearch();
        $server->ask(
            'PUT',
            "/_index_template/headroom-{$this->name}",
            ['index_patterns' => ["{$this->name}*"], 'priority' => 300, 'data_stream' => (object) []],
        );

        try {
            [$exit, $steps] = $this->steps();
            self::assertSame([1, "differs headroom-{$this->name}"], [$exit, $steps[0]]);
            self::assertSame(
                300,
                Dug::out(
                    $server->ask('GET', "/_index_template/headroom-{$this->name}"),
                    'index_templates',
                    0,
                    'index_template',
                    'priority',
                ),
            );
        } finally {
            $this->cleanUp($server);
        }
    }

    #[Test]
    public function our_own_template_follows_other_options_unless_it_was_edited(): void
    {
        $server = $this->openSearch();
        $template = "/_index_template/headroom-{$this->name}";

        try {
            $this->install();
            [$exit, $steps] = $this->steps(['--data' => 'stored']);
            self::assertSame([0, "changed headroom-{$this->name}"], [$exit, $steps[0]]);
            $body = Dug::out($server->ask('GET', $template), 'index_templates', 0, 'index_template');
            self::assertIsArray($body);
            self::assertFalse(Dug::out($body, 'template', 'mappings', 'properties', 'data', 'enabled'));

            $server->ask(
                'PUT',
                $template,
                array_replace_recursive(
                    $body,
                    ['template' => ['mappings' => ['properties' => ['key' => ['ignore_above' => 5]]]]],
                    ['data_stream' => ['timestamp_field' => ['name' => '@timestamp']]],
                ),
            );
            [$exit, $steps] = $this->steps(['--data' => 'stored']);
            self::assertSame([1, "differs headroom-{$this->name}"], [$exit, $steps[0]]);
            self::assertSame(
                5,
                Dug::out(
                    $server->ask('GET', $template),
                    'index_templates',
                    0,
                    'index_template',
                    'template',
                    'mappings',
                    'properties',
                    'key',
                    'ignore_above',
                ),
            );
        } finally {
            $this->cleanUp($server);
        }
    }

    #[Test]
    public function an_index_in_the_place_of_the_data_stream_is_told(): void
    {
        $server = $this->openSearch();
        $server->ask('PUT', "/{$this->name}");

        try {
            [$exit, $steps] = $this->steps();
            self::assertSame([1, "differs {$this->name}"], [$exit, $steps[1]]);
        } finally {
            $server->ask('DELETE', "/{$this->name}");
            $server->ask('DELETE', "/_index_template/headroom-{$this->name}");
        }
    }

    #[Test]
    public function names_by_the_month_get_a_template_and_no_data_stream(): void
    {
        $server = $this->openSearch("{$this->name}-{yyyy.MM}");

        try {
            self::assertSame([0, ["made headroom-{$this->name}"]], $this->steps());
            $this->spool->runtime()
                ->buffer()
                ->bucket('events')
                ->addMany([['time' => '2026-07-14T03:33:20Z', 'n' => 1], ['n' => 2]]);
            self::assertNull($this->spool->runtime()->flusher()->flush('events')->failure);
            self::assertCount(2, $server->ask('GET', "/{$this->name}-*"), 'The month of the event, and this one.');
            self::assertArrayHasKey("{$this->name}-2026.07", $server->ask('GET', "/{$this->name}-*"));
        } finally {
            foreach (array_keys($server->ask('GET', "/{$this->name}-*")) as $index) {
                $server->ask('DELETE', "/{$index}");
            }

            $server->ask('DELETE', "/_index_template/headroom-{$this->name}");
        }
    }

    #[Test]
    public function retention_that_a_cluster_does_not_know_is_told_and_the_rest_is_made(): void
    {
        $server = $this->openSearch();

        try {
            [$exit, $steps] = $this->steps(['--keep' => '30']);
            self::assertSame([1, "impossible headroom-{$this->name}"], [$exit, $steps[0]]);
            self::assertContains("made {$this->name}", $steps);
        } finally {
            $this->cleanUp($server);
        }
    }

    #[Test]
    #[TestWith([
        '{"version":{"number":"2.19.1","distribution":"opensearch"}}',
        '/_plugins/_ism/policies/headroom-NAME',
        '"min_index_age":"30d"',
        null,
    ])]
    #[TestWith([
        '{"version":{"number":"8.10.2"}}',
        '/_ilm/policy/headroom-NAME',
        '"min_age":"30d"',
        '"lifecycle":{"name":"headroom-NAME"}',
    ])]
    #[TestWith(['{"version":{"number":"9.1.0"}}', null, '', '"lifecycle":{"data_retention":"30d"}'])]
    public function retention_is_made_in_the_way_of_each_server(
        string $version,
        ?string $policy,
        string $age,
        ?string $named,
    ): void {
        $server = ScriptedServer::start();
        $answer = static fn (int $status, string $body = '{}')
            => $server->next(['status' => $status, 'body' => $body, 'keeps' => false]);
        $answer(200, $version);

        if ($policy !== null) {
            $answer(404);
            $answer(404);
            $answer(201);
        }

        array_map($answer, [404, 200, 404, 404, 200]);

        try {
            $this->spool->buckets = ['events' => [
                'sink' => 'elasticsearch',
                'url' => "http://127.0.0.1:{$server->port}",
                'index' => $this->name,
                'auth' => ['bearer' => 'sesame'],
            ]];
            [$exit, $out] = $this->install(['--keep' => '30']);
            self::assertSame(0, $exit, $out);
            $put = [];

            foreach ($server->requests() as $request) {
                self::assertSame('Bearer sesame', $request->headers['authorization']);
                $put += $request->method === 'PUT' ? [$request->path => $request->body] : [];
            }

            self::assertSame(
                [
                    ...$policy === null ? [] : [str_replace('NAME', $this->name, $policy)],
                    "/_index_template/headroom-{$this->name}",
                    "/_data_stream/{$this->name}",
                ],
                array_keys($put),
            );
            self::assertStringContainsString($age, $put[array_key_first($put)]);
            self::assertStringContainsString(
                str_replace('NAME', $this->name, $named ?? '"refresh_interval":"10s"}'),
                $put["/_index_template/headroom-{$this->name}"],
            );
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_server_that_refuses_is_told_with_the_next_step(): void
    {
        $server = ScriptedServer::start();
        $server->always([
            'status' => 403,
            'body' => '{"error":{"type":"security_exception","reason":"no permissions"}}',
            'keeps' => false,
        ]);

        try {
            $this->spool->buckets = ['events' => [
                'sink' => 'elasticsearch',
                'url' => "http://127.0.0.1:{$server->port}",
                'index' => 'events',
                'auth' => ['bearer' => 'sesame'],
            ]];
            [$exit, $out] = $this->install();
            self::assertSame(1, $exit);
            self::assertMatchesRegularExpression("/\\b403\\b.*security_exception: no permissions.*'auth'/", $out);
            Snapshot::assertPrinted('collect:install', 'a server refuses', $out);
            self::assertStringNotContainsString('sesame', $out);
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_table_is_made_once_and_takes_events(): void
    {
        $server = ClickHouseServer::get();
        $table = str_replace('-', '_', $this->name);
        $this->spool->buckets = ['events' => ['sink' => 'clickhouse', 'url' => $server->url, 'table' => $table]];

        try {
            self::assertStringContainsString('CREATE TABLE IF NOT EXISTS', $this->install(['--dry-run' => true])[1]);
            self::assertSame([0, ["made `{$table}`"]], $this->steps());
            self::assertSame([0, ["there `{$table}`"]], $this->steps());
            $this->spool->runtime()->buffer()->bucket('events')->add([
                'id' => '1',
                'source' => 's',
                'type' => 'order.placed',
                'time' => '2026-07-14T03:33:20.123456Z',
                'data' => ['total' => 1],
            ]);
            self::assertNull($this->spool->runtime()->flusher()->flush('events')->failure);
            self::assertSame(
                [['type' => 'order.placed', 'data' => '{"total":1}', 't' => '2026-07-14 03:33:20']],
                $server->rows("SELECT type, data, toString(toDateTime(time)) AS t FROM {$table} FINAL"),
            );
        } finally {
            $server->ask("DROP TABLE IF EXISTS {$table}");
        }
    }

    #[Test]
    public function a_server_that_is_not_there_has_been_sent_no_event(): void
    {
        $this->spool->buckets = ['events' => [
            'sink' => 'elasticsearch',
            'url' => 'http://127.0.0.1:'.Ports::free(),
            'index' => 'events',
        ]];
        [$exit, $out] = $this->install();

        self::assertSame(1, $exit);
        self::assertSame([], $this->steps()[1]);
        // Without curl's words, which are those of its version.
        $words = (string) preg_replace('/Failed to connect .*?(?=\. [A-Z])/', '...', $out);
        Snapshot::assertPrinted('collect:install', 'no server answers', $words);
    }

    #[Test]
    public function a_missing_database_is_told_with_the_statement_that_makes_it(): void
    {
        $this->spool->buckets = ['events' => [
            'sink' => 'clickhouse',
            'url' => ClickHouseServer::get()->url,
            'table' => 'nowhere.events',
        ]];
        [$exit, $out] = $this->install();

        self::assertSame(1, $exit);
        self::assertStringContainsString('CREATE DATABASE', $out);
    }

    #[Test]
    public function a_table_that_would_keep_doubles_or_lacks_columns_is_told_and_stays(): void
    {
        $server = ClickHouseServer::get();
        $table = str_replace('-', '_', $this->name);
        $this->spool->buckets = ['events' => ['sink' => 'clickhouse', 'url' => $server->url, 'table' => $table]];
        $server->ask("CREATE TABLE {$table} (event_id String) ENGINE = Log");

        try {
            [$exit, $out] = $this->install();
            self::assertSame(1, $exit);
            self::assertStringContainsString(' id, source', $out);
            self::assertSame([1, ["differs `{$table}`"]], $this->steps());
        } finally {
            $server->ask("DROP TABLE {$table}");
        }
    }

    /** @param array<string, mixed> $input */
    #[Test]
    #[TestWith([['--keep' => '0'], '--keep'])]
    #[TestWith([['--keep' => 'ever'], '--keep'])]
    #[TestWith([['--data' => 'nested'], '--data'])]
    #[TestWith([['buckets' => ['nowhere']], "'nowhere'"])]
    #[TestWith([['buckets' => ['lines']], "'file'"])]
    #[TestWith([[], 'elasticsearch'])]
    public function wrong_usage_is_explained(array $input, string $named): void
    {
        $this->spool->buckets = ['lines' => ['sink' => 'file', 'path' => $this->spool->file('lines')]];
        [$exit, $out] = $this->install($input);

        self::assertSame(2, $exit);
        self::assertStringContainsString($named, $out);
        Snapshot::assertPrinted('collect:install', 'wrong usage: '.json_encode($input), $out);
    }

    #[Test]
    public function json_says_the_same(): void
    {
        $server = $this->openSearch();
        [$exit, $out] = $this->install(['--json' => true, '--dry-run' => true]);
        $document = json_decode($out, true, flags: JSON_THROW_ON_ERROR);

        self::assertSame(0, $exit);
        self::assertSame(
            [false, true, 'events', null],
            [
                Dug::out($document, 'installed'),
                Dug::out($document, 'dry'),
                Dug::out($document, 'buckets', 0, 'bucket'),
                Dug::out($document, 'buckets', 0, 'failure'),
            ],
        );
        self::assertSame(
            ['wanted', 'wanted', null],
            array_map(
                static fn (int $step): mixed => Dug::out($document, 'buckets', 0, 'steps', $step, 'state'),
                [0, 1, 2],
            ),
        );
        self::assertNotSame('', $server->url);
    }

    /**
     * @param array<string, mixed> $input
     * @return array{int, list<string>} the exit code, and of each step its state and the name of what it makes
     */
    private function steps(array $input = []): array
    {
        [$exit, $out] = $this->install([...$input, '--json' => true]);
        $steps = Dug::out(json_decode($out, true, flags: JSON_THROW_ON_ERROR), 'buckets', 0, 'steps');
        self::assertIsArray($steps);
        $seen = [];

        foreach ($steps as $step) {
            self::assertIsArray($step);
            self::assertIsString($step['state']);
            self::assertIsString($step['what']);
            $seen[] = "{$step['state']} ".substr((string) strrchr($step['what'], ' '), 1);
        }

        return [$exit, $seen];
    }

    private function openSearch(?string $index = null): OpenSearchServer
    {
        $server = OpenSearchServer::get();
        $this->spool->buckets = ['events' => [
            'sink' => 'elasticsearch',
            'url' => $server->url,
            'index' => $index ?? $this->name,
        ]];

        return $server;
    }

    private function cleanUp(OpenSearchServer $server): void
    {
        $server->ask('DELETE', "/_data_stream/{$this->name}");
        $server->ask('DELETE', "/_index_template/headroom-{$this->name}");
    }

    /**
     * @param array<string, mixed> $input
     * @return array{int, string}
     */
    private function install(array $input = []): array
    {
        $tester = new CommandTester(new InstallCommand($this->spool->runtime()));

        return [$tester->execute($input), $tester->getDisplay()];
    }
}
