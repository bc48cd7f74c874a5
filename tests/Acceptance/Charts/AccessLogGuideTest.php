<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Charts;

use Headroom\Charts\EventCharts;
use Headroom\Core\SystemClock;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Support\ConfigReader;
use Headroom\Tests\Acceptance\AccessLog\AccessLog;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\OpenSearch\EventStreams;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The access log of docs/charts.md, sent through a collector into a real index as the page does it.
 */
final class AccessLogGuideTest extends TestCase
{
    private const STREAM = 'headroom-access-log';

    private const RANGE = ['from' => '2015-05-17T00:00:00Z', 'to' => '2015-05-21T00:00:00Z'];

    private TemporaryDirectory $home;

    protected function setUp(): void
    {
        AccessLog::isReal()
            || self::markTestSkipped('The access log is not there: it is among the fixtures (HEADROOM_FIXTURES).');
        $this->home = TemporaryDirectory::create('access-log');
        EventStreams::get()->remove(self::STREAM);
    }

    protected function tearDown(): void
    {
        if (isset($this->home)) {
            EventStreams::get()->remove(self::STREAM);
            $this->home->remove();
        }
    }

    #[Test, Group('day-3')]
    public function each_line_is_one_event_and_the_counts_are_those_of_the_page(): void
    {
        $bucket = [
            'sink' => 'elasticsearch',
            'url' => EventStreams::get()->url,
            'index' => self::STREAM,
            'batch' => 10_000,
        ];
        $spool = ['path' => $this->home->file('spool'), 'min_free_bytes' => 0, 'buckets' => ['events' => $bucket]];
        Running::configure($this->home->path, [], $spool);
        $key = Station::made($this->home->path, [], 'site');
        $collector = Running::start(['workers' => 1, 'flushers' => 1, 'intake' => []], $spool, home: $this->home);
        [$exit, $output] = $collector->command('collect:install', 'events');
        self::assertSame(0, $exit, $output);
        $env = ['EVENTS_URL' => "http://{$collector->address()}", 'EVENTS_KEY' => $key];

        foreach (['first', 'again'] as $time) {
            self::assertSame("10000 accepted\n", $this->sent($env), $time);
        }

        $collector->waitFor(
            static fn (Running $it): bool => str_contains(
                Client::fetch($it->admin(), '/metrics')[1],
                'headroom_sink_events_delivered_total{bucket="events",sink="elasticsearch"} 20000',
            ),
            60,
        );
        EventStreams::get()->send('POST', '/'.self::STREAM.'/_refresh');

        self::assertSame($this->counted(), $this->ofThePage());
        self::assertSame(
            $this->ofThePage(),
            $this->charted(new ConfigReader(
                array_intersect_key($bucket, ['url' => 1, 'index' => 1]),
                'spool.buckets.events',
            )),
        );
        self::assertStringContainsString('By day: '.implode(', ', $this->days()), Files::read('docs/charts.md'));
    }

    /** @param array<string, string> $env */
    private function sent(array $env): string
    {
        self::assertSame(
            1,
            preg_match(
                '/^```php\n(<\?php\n\n\/\/ access-log\.php\n.*?)^```$/ms',
                Files::read('docs/charts.md'),
                $script,
            ),
        );
        $process = new Process(
            [Programs::php(), $this->home->write('access-log.php', $script[1]), AccessLog::path()],
            env: $env,
        );
        $process->run();

        return $process->getOutput().$process->getErrorOutput();
    }

    /** @return array<string, array<string, int>> events by type, by group: as the page says */
    private function ofThePage(): array
    {
        preg_match_all(
            '/^\| `([a-z.]+)` \| (business|actions) \| (\d+) \|$/m',
            Files::read('docs/charts.md'),
            $rows,
            PREG_SET_ORDER,
        );
        $counts = ['business' => [], 'actions' => []];

        foreach ($rows as [, $type, $group, $count]) {
            $counts[$group][$type] = (int) $count;
        }

        return $counts;
    }

    /** @return array<string, array<string, int>> what the charts answer */
    private function charted(ConfigReader $bucket): array
    {
        /** @var array{charts: array{actions: list<string>}} $config */
        $config = require __DIR__.'/../../../config/headroom.php';
        $charts = EventCharts::fromOptions($bucket, $config['charts']['actions'], new SystemClock);
        $counts = [];

        foreach (['business', 'actions'] as $group) {
            /** @var array{series: list<array{name: string, total: int}>} $answer */
            $answer = json_decode(
                $charts->answer(self::RANGE + ['group' => $group])->body,
                true,
                flags: JSON_THROW_ON_ERROR,
            );
            $counts[$group] = array_column($answer['series'], 'total', 'name');
        }

        return $counts;
    }

    /** @return array<string, array<string, int>> counted here, in another way than the page's script does */
    private function counted(): array
    {
        $counts = [
            'asset.served' => 0,
            'page.viewed' => 0,
            'feed.fetched' => 0,
            'request.failed' => 0,
            'file.downloaded' => 0,
        ];

        foreach (AccessLog::real() as $line) {
            $target = explode('?', explode(' ', explode('"', $line)[1])[1], 2);
            $end = strtolower(pathinfo($target[0], PATHINFO_EXTENSION));
            $status = explode(' ', explode('" ', $line)[1])[0];
            $counts[match (true) {
                $status[0] > '3' => 'request.failed',
                in_array(
                    $end,
                    ['css', 'js', 'ico', 'png', 'jpg', 'jpeg', 'gif', 'svg', 'ttf', 'woff'],
                    true,
                ) => 'asset.served',
                str_contains($target[1] ?? '', 'flav='), in_array($end, ['rss', 'atom', 'xml'], true) => 'feed.fetched',
                in_array(
                    $end,
                    ['pdf', 'zip', 'gz', 'tgz', 'bz2', 'deb', 'rpm', 'jar', 'iso'],
                    true,
                ) => 'file.downloaded',
                default => 'page.viewed',
            }]++;
        }

        return [
            'business' => array_diff_key($counts, ['page.viewed' => 1]),
            'actions' => array_intersect_key($counts, ['page.viewed' => 1]),
        ];
    }

    /** @return list<int> */
    private function days(): array
    {
        $answer = EventStreams::get()->send(
            'POST',
            '/'.self::STREAM.'/_search',
            '{"size":0,"aggs":{"days":{"date_histogram":{"field":"@timestamp","calendar_interval":"day"}}}}',
        );
        $days = Dug::out($answer, 'aggregations', 'days', 'buckets');
        self::assertIsArray($days);

        return array_map(
            static fn (mixed $day): int => is_array($day) && is_int($day['doc_count']) ? $day['doc_count'] : 0,
            array_values($days),
        );
    }
}
