<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest\Work;

use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Collector\Ingest\IngestTestCase;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * In the pipeline of the collector, and in the front controller, which appends the events itself.
 */
final class WorkTest extends IngestTestCase
{
    /**
     * The work may be this many times the bytes read and stored: a body is cut, decoded, checked, quoted and joined.
     */
    private const TIMES = 12;

    #[Test]
    public function no_request_that_a_limit_allows_makes_more_work_than_its_bytes(): void
    {
        $process = new Process(
            [PHP_BINARY, __DIR__.'/requests.php', (string) Sample::seed(), (string) Sample::number(3, 60)],
            timeout: 600,
        );
        $process->mustRun();
        $limits = new IngestLimits;
        $requests = new HostileRequests(Sample::seed(), $limits->batchBytes, $limits->eventBytes, $limits->batchEvents);
        $formats = [];

        foreach (explode("\n", trim($process->getOutput())) as $line) {
            [$format, $seed, $bytes, $status, $work] = explode(' ', $line);

            // The counted functions have to do what they count.
            if (! isset($formats[$format])) {
                [$path, $headers, $body] = $requests->of($format);
                self::assertSame(
                    [strlen($body), $this->harness()->post($body, $headers, $path)->response->status],
                    [(int) $bytes, (int) $status],
                    $line,
                );
            }

            $formats[$format] = true;

            self::assertContains((int) $status, [200, 202, 207, 400, 413, 422], $line);
            self::assertLessThanOrEqual(
                self::TIMES * ((int) $bytes + IngestLimits::STORED_BYTES),
                (int) $work,
                "{$format}, seed {$seed}: {$line}",
            );
        }

        self::assertSame(HostileRequests::FORMATS, array_keys($formats));
    }
}
