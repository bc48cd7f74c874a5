<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\IngestResult;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

abstract class IngestTestCase extends TestCase
{
    /** @var list<TemporaryDirectory> */
    private array $directories = [];

    protected function setUp(): void
    {
        // Messages to the operator do not belong in the output of a test.
        ini_set('error_log', '/dev/null');
    }

    protected function tearDown(): void
    {
        ini_restore('error_log');

        foreach ($this->directories as $directory) {
            $directory->remove();
        }
    }

    protected function harness(IngestSettings $settings = new IngestSettings(isAuthenticated: false)): PipelineHarness
    {
        return new PipelineHarness($this->directories[] = TemporaryDirectory::create('intake'), $settings);
    }

    /** @return array<string, mixed> the only one */
    protected static function row(IngestResult $result): array
    {
        self::assertSame(1, $result->count, $result->response->body);
        $rows = PipelineHarness::rows($result->lines);
        self::assertCount(1, $rows);

        return $rows[0];
    }

    /** @return array<mixed> */
    protected static function refused(int $status, string $code, IngestResult $result): array
    {
        $body = PipelineHarness::body($result);
        self::assertSame(
            [$status, $code, $status, 0, ''],
            [
                $result->response->status,
                $body['code'] ?? null,
                $body['status'] ?? null,
                $result->count,
                $result->lines,
            ],
            $result->response->body,
        );
        self::assertSame('application/problem+json', $result->response->headers['Content-Type']);

        return $body;
    }
}
