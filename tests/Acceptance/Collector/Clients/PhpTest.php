<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients;

use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Shell;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Guzzle and PHP's own streams, as docs/collector-formats.md uses them.
 */
final class PhpTest extends TestCase
{
    #[Test]
    public function guzzle_and_streams_send_as_documented(): void
    {
        $station = Station::open();
        [$guzzle, $streams] = (new Guide)->examples('PHP', 'php');
        self::assertStringContainsString('new GuzzleHttp\\Client', $guzzle);
        self::assertStringContainsString('file_get_contents', $streams);

        self::assertSame("202\n", Shell::php($guzzle, $station->env()));
        self::assertSame("{\"accepted\":1,\"rejected\":0,\"errors\":[]}\n", Shell::php($streams, $station->env()));

        $rows = $station->rows();
        self::assertSame(['i-1', 'i-2'], array_keys($rows));
        self::assertSame(
            ['invoice.paid', 'web', 'web', ['total' => 12.5, 'currency' => 'EUR'], null],
            [
                $rows['i-1']['type'],
                $rows['i-1']['source'],
                $rows['i-1']['key'],
                $rows['i-1']['data'],
                $rows['i-1']['extensions'],
            ],
        );
        self::assertSame(['total' => 3], $rows['i-2']['data']);
    }

    #[Test]
    public function guzzle_sends_batches_and_compressed_bodies_over_one_connection(): void
    {
        $station = Station::open();
        $script = <<<'PHP'
            <?php
            require 'vendor/autoload.php';
            $client = new GuzzleHttp\Client(['base_uri' => getenv('EVENTS_URL'), 'headers' => ['X-Write-Key' => getenv('EVENTS_KEY')]]);
            $lines = implode("\n", array_map(static fn (int $n): string => json_encode(['type' => 't', 'id' => "n-{$n}", 'data' => ['n' => $n, 'words' => str_repeat('Grüße ', $n)]]), range(1, 200)));
            $client->post('/v1/events', ['body' => gzencode($lines), 'headers' => ['Content-Type' => 'application/x-ndjson', 'Content-Encoding' => 'gzip']]);
            // A body whose size nobody knows goes out in chunks.
            $pieces = (function () { foreach (range(1, 50) as $n) { yield '{"type":"t","id":"c-'.$n.'"}'."\n"; } })();
            $client->post('/v1/events', ['body' => new GuzzleHttp\Psr7\PumpStream(static function () use ($pieces) { if (! $pieces->valid()) { return false; } $piece = $pieces->current(); $pieces->next(); return $piece; }), 'headers' => ['Content-Type' => 'application/x-ndjson']]);
            // More than a megabyte, before which curl asks whether it may.
            $client->post('/v1/events', ['json' => array_map(static fn (int $n): array => ['type' => 't', 'id' => "l-{$n}", 'data' => str_repeat('x', 40_000)], range(1, 40)), 'expect' => true]);
            PHP;
        Shell::php($script, $station->env());

        $rows = $station->rows();
        self::assertCount(290, $rows);
        self::assertSame(['n' => 200, 'words' => str_repeat('Grüße ', 200)], $rows['n-200']['data']);
        self::assertSame(range(1, 200), array_column(array_column(array_slice($rows, 0, 200), 'data'), 'n'));
        self::assertSame(str_repeat('x', 40_000), $rows['l-40']['data']);
        self::assertArrayHasKey('c-50', $rows);
        self::assertStringContainsString('headroom_http_requests_total{code="202"} 3', $this->metrics($station));
    }

    private function metrics(Station $station): string
    {
        $text = '';
        $station->collector->waitFor(static function () use ($station, &$text): bool {
            $text = (string) file_get_contents("http://{$station->collector->admin()}/metrics");

            return str_contains($text, 'headroom_events_accepted_total 290');
        });

        return $text;
    }
}
