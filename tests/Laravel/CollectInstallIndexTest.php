<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\InstallsSinks;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\OpenSearch\OpenSearchServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * collect:install against a real OpenSearch.
 */
#[Group('snapshot')]
final class CollectInstallIndexTest extends TestCase
{
    use InstallsSinks;

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
}
