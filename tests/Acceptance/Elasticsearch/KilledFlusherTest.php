<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Elasticsearch;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\OpenSearch\OpenSearchServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * kill -9 of a flusher while documents are on their way into a real index.
 */
final class KilledFlusherTest extends TestCase
{
    private const EVENTS = 40_000;

    private const KILLS = 6;

    private OpenSearchServer $server;

    private TemporaryDirectory $directory;

    private string $index;

    protected function setUp(): void
    {
        $this->server = OpenSearchServer::get();
        $this->directory = TemporaryDirectory::create('killed-flusher');
        $this->index = 'killed-'.bin2hex(random_bytes(6));
        $this->server->ask('PUT', "/{$this->index}", [
            'settings' => ['number_of_shards' => 1, 'number_of_replicas' => 0, 'refresh_interval' => '-1'],
            'mappings' => ['properties' => ['n' => ['type' => 'integer']]],
        ]);
    }

    protected function tearDown(): void
    {
        if (isset($this->server)) {
            $this->server->ask('DELETE', "/{$this->index}");
            $this->directory->remove();
        }
    }

    #[Test, Group('day-1')]
    public function no_event_is_lost_and_none_is_there_twice(): void
    {
        $buffer = Buffer::onDisk(AppendConfig::fromArray([
            'path' => $this->directory->file('buffer'),
            'buckets' => ['events' => ['sink' => 'elasticsearch']],
        ]));

        for ($i = 0; $i < self::EVENTS; $i += 1000) {
            $buffer->bucket('events')->addMany(array_map(
                static fn (int $n): array => ['n' => $n, 'text' => str_repeat('x', 200)],
                range($i, $i + 999),
            ));
        }

        $killed = 0;

        for ($step = 1; $step <= self::KILLS; $step++) {
            $flusher = $this->flusher();
            $flusher->start();
            $wanted = $this->written() + 1200;

            while ($flusher->isRunning() && $this->written() < $wanted) {
                usleep(1000);
            }

            if ($flusher->isRunning()) {
                $flusher->signal(SIGKILL);
                $killed++;
            }

            $flusher->wait();
        }

        self::assertGreaterThanOrEqual(2, $killed, 'Of so many flushers some must have been killed in the middle.');
        $before = $this->there();
        self::assertLessThan(self::EVENTS, $before, 'There must be something left to deliver.');
        $last = $this->flusher();
        self::assertSame(0, $last->run(), $last->getErrorOutput());
        self::assertGreaterThan(0, (int) $last->getOutput());
        self::assertSame([self::EVENTS, self::EVENTS], [$this->there(), $this->distinct()]);
    }

    private function flusher(): Process
    {
        return new Process(
            [
                Programs::php(),
                __DIR__.'/fixtures/flush.php',
                $this->directory->file('buffer'),
                $this->server->url,
                $this->index,
            ],
            timeout: 120,
        );
    }

    /** The attempted writes, which can be counted without a refresh of the index. */
    private function written(): int
    {
        $statistics = $this->server->ask(
            'GET',
            "/{$this->index}/_stats/indexing?filter_path=_all.total.indexing.index_total",
        );
        $total = Dug::out($statistics, '_all', 'total', 'indexing', 'index_total');
        self::assertIsInt($total);

        return $total;
    }

    private function there(): int
    {
        $this->server->ask('POST', "/{$this->index}/_refresh");
        $count = $this->server->ask('GET', "/{$this->index}/_count")['count'] ?? null;
        self::assertIsInt($count);

        return $count;
    }

    private function distinct(): int
    {
        $answer = $this->server->ask('POST', "/{$this->index}/_search?size=0", ['aggs' => [
            'n' => ['cardinality' => ['field' => 'n', 'precision_threshold' => 40_000]],
            'most' => ['max' => ['field' => 'n']],
            'double' => ['terms' => ['field' => 'n', 'min_doc_count' => 2, 'size' => 1]],
        ]]);
        $aggregations = $answer['aggregations'] ?? null;
        self::assertIsArray($aggregations);
        self::assertIsArray($aggregations['double']);
        self::assertSame([], $aggregations['double']['buckets'], 'An event is there twice.');
        self::assertIsArray($aggregations['most']);
        self::assertEquals(self::EVENTS - 1, $aggregations['most']['value']);

        // As many documents as events, none of them twice: each is there.
        return $this->there();
    }
}
