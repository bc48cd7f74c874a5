<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Elasticsearch;

use Headroom\Sink\Elasticsearch\IndexRefused;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Support\OpenSearch\OpenSearchServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Events that a real index refuses in a real flush.
 */
final class DeadLetterTest extends TestCase
{
    private OpenSearchServer $server;

    private Spool $spool;

    private string $index;

    protected function setUp(): void
    {
        $this->server = OpenSearchServer::get();
        $this->index = 'dead-'.bin2hex(random_bytes(6));
        $this->server->ask('PUT', "/{$this->index}", [
            'settings' => ['number_of_replicas' => 0],
            'mappings' => ['properties' => ['n' => ['type' => 'integer']]],
        ]);
        $this->spool = new Spool(['events' => [
            'sink' => 'elasticsearch',
            'url' => $this->server->url,
            'index' => $this->index,
        ]]);
    }

    protected function tearDown(): void
    {
        if (isset($this->server)) {
            $this->server->ask('DELETE', "/{$this->index}");
        }

        if (isset($this->spool)) {
            $this->spool->remove();
        }
    }

    #[Test]
    public function a_document_that_does_not_fit_becomes_a_dead_letter_and_all_others_arrive(): void
    {
        $this->spool->runtime()->buffer()->bucket('events')->addMany([['n' => 1], ['n' => 'confidential'], ['n' => 3]]);
        $report = $this->spool->runtime()->flusher()->flush('events');

        self::assertSame([null, 2, 1], [$report->failure, $report->delivered, $report->dead]);
        self::assertStringContainsString(
            'mapper_parsing_exception: failed to parse field [n] of type [integer]',
            (string) $report->firstDeath,
        );
        self::assertStringNotContainsString('confidential', (string) $report->firstDeath);
        self::assertEqualsCanonicalizing(
            [1, 3],
            array_column(array_column($this->server->documents($this->index), '_source'), 'n'),
        );
    }

    #[Test]
    public function an_index_that_takes_nothing_kills_no_event(): void
    {
        $this->server->ask('PUT', "/{$this->index}/_settings", ['index.blocks.write' => true]);
        $this->spool->runtime()->buffer()->bucket('events')->addMany([['n' => 1], ['n' => 2]]);
        $report = $this->spool->runtime()->flusher()->flush('events');

        self::assertSame([0, 0], [$report->delivered, $report->dead]);
        self::assertInstanceOf(IndexRefused::class, $report->failure);
        self::assertStringContainsString('index.blocks', $report->failure->getMessage());
    }
}
