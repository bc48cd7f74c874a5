<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Charts;

use Headroom\Sink\DataMapping;
use Headroom\Sink\Elasticsearch\IndexName;
use Headroom\Sink\Elasticsearch\Template;
use Headroom\Support\ConfigReader;
use Headroom\Tests\Acceptance\AccessLog\AccessLog;
use Headroom\Tests\Support\OpenSearch\EventStreams;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * resources/dashboards/opensearch.ndjson, which OpenSearch Dashboards imports.
 *
 * @phpstan-type Saved array{
 *     id: string,
 *     type: string,
 *     attributes: array<string, mixed>,
 *     references: list<array{name: string, type: string, id: string}>,
 * }
 */
final class SavedDashboardTest extends TestCase
{
    private const FILE = __DIR__.'/../../../resources/dashboards/opensearch.ndjson';

    /** A user may have imported them, and another id would then create a second dashboard. */
    private const IDS = [
        'headroom-events' => 'index-pattern',
        'headroom-business-events' => 'visualization',
        'headroom-end-user-actions' => 'visualization',
        'headroom-overview' => 'dashboard',
    ];

    private const STREAM = 'headroom-dashboard-tests';

    #[Test]
    public function the_ids_stay_and_every_reference_leads_to_one_of_them(): void
    {
        $saved = self::saved();
        self::assertSame(self::IDS, array_map(static fn (array $one): string => $one['type'], $saved));

        foreach ($saved as $one) {
            $text = json_encode($one['attributes'], JSON_THROW_ON_ERROR);
            preg_match_all('/\\\\"(?:panelRefName|indexRefName)\\\\":\\\\"([^\\\\"]+)/', $text, $asked);
            self::assertEqualsCanonicalizing($asked[1], array_column($one['references'], 'name'));

            foreach ($one['references'] as $reference) {
                self::assertSame($reference['type'], self::IDS[$reference['id']] ?? null);
            }
        }
    }

    #[Test]
    public function it_names_fields_that_the_index_template_has_and_actions_as_the_settings_do(): void
    {
        $body = (new Template(IndexName::parse('index', 'events'), DataMapping::Flattened, true))->body([], []);
        $template = $body['template'];
        self::assertIsArray($template);
        self::assertIsArray($template['mappings']);
        self::assertIsArray($fields = $template['mappings']['properties']);
        self::assertSame('@timestamp', self::saved()['headroom-events']['attributes']['timeFieldName']);

        foreach (self::charts() as [$aggregations, $query]) {
            foreach (array_filter(
                array_column(array_column($aggregations, 'params'), 'field'),
                is_string(...),
            ) as $field) {
                self::assertSame(
                    ['type' => $field === '@timestamp' ? 'date' : 'keyword'],
                    array_intersect_key((array) ($fields[$field] ?? []), ['type' => 1]),
                );
            }

            /** @var array{charts: array{actions: list<string>}} $config */
            $config = require __DIR__.'/../../../config/headroom.php';
            self::assertStringContainsString('type:('.implode('* OR ', $config['charts']['actions']).'*', $query);
        }
    }

    #[Test, Group('day-3')]
    #[TestWith(['headroom-business-events', false])]
    #[TestWith(['headroom-end-user-actions', true])]
    public function a_real_index_answers_its_queries_with_the_numbers_of_the_log(string $id, bool $isActions): void
    {
        AccessLog::isReal()
            || self::markTestSkipped('The access log is not there: it is among the fixtures (HEADROOM_FIXTURES).');
        $server = EventStreams::get();
        $server->remove(self::STREAM);

        try {
            $server->installed(self::STREAM);
            $server->fill(self::STREAM, ($site = SiteEvents::read())->documents());
            [$aggregations, $query] = self::charts()[$id];
            $answer = new ConfigReader(
                $server->send(
                    'POST',
                    '/'.self::STREAM.'/_search',
                    json_encode(
                        [
                            'size' => 0,
                            'query' => ['query_string' => ['query' => $query]],
                            'aggs' => self::asAsked($aggregations),
                        ],
                        JSON_THROW_ON_ERROR,
                    ),
                ),
                '',
            );
        } finally {
            $server->remove(self::STREAM);
        }

        $counted = [];
        $days = $answer->section('aggregations')->section('2')->all()['buckets'];
        self::assertIsArray($days);

        foreach ($days as $day) {
            foreach ((new ConfigReader((array) $day, ''))->section('3')->section('buckets')->all() as $bucket) {
                self::assertIsArray($bucket);
                self::assertIsString($name = $bucket['key']);
                self::assertIsInt($bucket['doc_count']);
                $counted[$name] = ($counted[$name] ?? 0) + $bucket['doc_count'];
            }
        }

        $isAction = static fn (string $type): bool => str_starts_with($type, 'page') || str_starts_with($type, 'user.');
        ksort($counted);
        arsort($counted);
        self::assertSame(
            $site->count(
                'type',
                static fn (array $event): bool
                    => $isActions ? $isAction($event['type']) : ! $isAction($event['type']) && $event['type'] !== 'log',
            ),
            $counted,
        );
    }

    /**
     * One within the other, as Dashboards does; with more names than the chart shows, to see all of them.
     *
     * @param list<array{id: string, type: string, params: array<string, mixed>}> $aggregations
     * @return array<string, mixed>
     */
    private static function asAsked(array $aggregations): array
    {
        $asked = [];

        foreach (array_reverse($aggregations) as $one) {
            $asked = match ($one['type']) {
                'count' => $asked,
                'terms' => [$one['id'] => ['terms' => ['field' => $one['params']['field'], 'size' => 100]]],
                default => [$one['id'] => [
                    $one['type'] => [
                        'field' => $one['params']['field'],
                        'fixed_interval' => '3h',
                        'min_doc_count' => $one['params']['min_doc_count'],
                    ],
                    'aggs' => $asked,
                ]],
            };
        }

        return $asked;
    }

    /**
     * @return array<string, array{list<array{id: string, type: string, params: array<string, mixed>}>, string}>
     *     aggregations and query by id
     */
    private static function charts(): array
    {
        $charts = [];

        foreach (self::saved() as $id => $one) {
            if ($one['type'] === 'visualization') {
                $state = $one['attributes']['visState'];
                $meta = $one['attributes']['kibanaSavedObjectMeta'];
                self::assertIsString($state);
                self::assertIsArray($meta);
                self::assertIsString($meta['searchSourceJSON']);
                /** @var array{aggs: list<array{id: string, type: string, params: array<string, mixed>}>} $state */
                $state = json_decode($state, true, flags: JSON_THROW_ON_ERROR);
                /** @var array{query: array{query: string}} $source */
                $source = json_decode($meta['searchSourceJSON'], true, flags: JSON_THROW_ON_ERROR);
                $charts[$id] = [$state['aggs'], $source['query']['query']];
            }
        }

        return $charts;
    }

    /** @return array<string, Saved> by id */
    private static function saved(): array
    {
        $saved = [];

        foreach (explode("\n", rtrim((string) file_get_contents(self::FILE))) as $line) {
            /** @var Saved $one */
            $one = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            $saved[$one['id']] = $one;
        }

        return $saved;
    }
}
