<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Core\SystemClock;
use Headroom\Laravel\Sinks\LaravelSinkFactory;
use Headroom\Sink\ClickHouse\ClickHouseSink;
use Headroom\Sink\Delivery;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Sink\Sink;
use Headroom\Spool\BucketConfig;
use Headroom\Support\ConfigReader;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\ClickHouse\ClickHouseServer;
use Illuminate\Database\ConnectionResolver;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The code accepts the settings that docs/elasticsearch-sink.md and docs/clickhouse-sink.md show.
 */
final class SinkPagesTest extends TestCase
{
    private const VARIABLES = [
        'ELASTICSEARCH_URL' => 'https://search.example.com:9200', 'ELASTICSEARCH_KEY' => 'c2VzYW1l',
        'CLICKHOUSE_URL' => 'https://clickhouse.example.com:8443', 'CLICKHOUSE_USER' => 'ada',
        'CLICKHOUSE_PASSWORD' => 'sesame',
    ];

    protected function setUp(): void
    {
        $_SERVER = self::VARIABLES + $_SERVER;
    }

    protected function tearDown(): void
    {
        $_SERVER = array_diff_key($_SERVER, self::VARIABLES);
    }

    /** @param class-string<Sink> $class */
    #[Test]
    #[TestWith(['elasticsearch', ElasticsearchSink::class])]
    #[TestWith(['clickhouse', ClickHouseSink::class])]
    public function the_example_makes_the_sink_and_the_table_has_each_setting(string $name, string $class): void
    {
        $settings = $this->settings("docs/{$name}-sink.md");
        $bucket = BucketConfig::fromOptions('events', new ConfigReader($settings, 'spool.buckets.events'));
        $sinks = new LaravelSinkFactory(new ConnectionResolver, new SystemClock);

        self::assertInstanceOf($class, $sinks->make($bucket->sink, $bucket->options));
        self::assertSame($name, $bucket->sink);

        foreach (array_diff(array_keys($settings), ['sink', 'batch']) as $key) {
            self::assertStringContainsString("| `{$key}` |", Files::read("docs/{$name}-sink.md"));
        }
    }

    #[Test]
    public function a_table_as_the_page_shows_it_takes_events(): void
    {
        $server = ClickHouseServer::get();
        $table = 'page_views_'.bin2hex(random_bytes(4));
        self::assertSame(1, preg_match('/```sql\n(.*?)```/s', Files::read('docs/clickhouse-sink.md'), $sql));
        $server->ask(str_replace('TABLE page_views', "TABLE {$table}", $sql[1]));

        try {
            $sink = ClickHouseSink::fromOptions(
                new ConfigReader(['url' => $server->url, 'table' => $table], 'spool.buckets.events'),
                new SystemClock,
            );
            $delivery = $this->delivery();
            $sink->deliver($delivery);
            $sink->deliver($delivery);
            self::assertSame(
                [['path' => '/', 'user_id' => null, 'viewed_at' => '2026-07-14 03:33:20']],
                $server->rows("SELECT path, user_id, viewed_at FROM {$table} FINAL"),
            );
        } finally {
            $server->ask("DROP TABLE {$table}");
        }
    }

    private function delivery(): Delivery
    {
        return ContractLog::of('page-views')
            ->delivery([['path' => '/', 'user_id' => null, 'viewed_at' => '2026-07-14T05:33:20.5+02:00']]);
    }

    /** @return array<mixed> */
    private function settings(string $page): array
    {
        self::assertSame(1, preg_match('/```php\n(.*?)```/s', Files::read($page), $example));
        $file = sys_get_temp_dir().'/headroom-page-'.bin2hex(random_bytes(6)).'.php';
        file_put_contents($file, "<?php\n\nreturn [\n{$example[1]}\n];\n");

        try {
            $buckets = require $file;
            self::assertIsArray($buckets);
            self::assertIsArray($buckets['events']);

            return $buckets['events'];
        } finally {
            unlink($file);
        }
    }
}
