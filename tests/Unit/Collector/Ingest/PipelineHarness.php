<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use DateTimeImmutable;
use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Authentication\ApiKeyCache;
use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Collector\Ingest\Authentication\Authenticator;
use Headroom\Collector\Ingest\IngestPipeline;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Ingest\RateLimit\RateLimiter;
use Headroom\Collector\Ingest\Schema\SchemaValidator;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Request;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Rows;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\LineDecoder;
use PHPUnit\Framework\Assert;

/**
 * An ingest pipeline over a directory of its own.
 */
final readonly class PipelineHarness
{
    /** 2026-11-22T08:00:00.123456Z */
    public const NOW = 1_795_334_400_123_456;

    public IngestPipeline $pipeline;

    public ApiKeyStore $keys;

    public function __construct(
        public TemporaryDirectory $directory,
        IngestSettings $settings = new IngestSettings(isAuthenticated: false),
    ) {
        $clock = new SystemClock;
        $this->keys = ApiKeyStore::below($directory->path, $clock);
        $this->pipeline = new IngestPipeline(
            $settings,
            new Authenticator($settings, new ApiKeyCache($this->keys)),
            RateLimiter::below($directory->path, $clock),
            SchemaValidator::of($settings->schemas),
            static fn (int $bytes): string => str_repeat("\xA5", $bytes),
            static fn (int $from, int $to): int => $to,
        );
    }

    /** @param array<string, string> $headers */
    public function post(
        string $body,
        array $headers = ['content-type' => 'application/json'],
        string $path = '/v1/events',
        string $query = '',
        int $now = self::NOW,
    ): IngestResult {
        return $this->pipeline->ingest(new Request('POST', $path, $query, $headers, $body, '127.0.0.1'), $now);
    }

    /** @param array<string, string> $headers */
    public function ask(
        string $method,
        string $path,
        array $headers = [],
        string $query = '',
        int $now = self::NOW,
    ): IngestResult {
        return $this->pipeline->ingest(new Request($method, $path, $query, $headers), $now);
    }

    public function key(ApiKey $scope): string
    {
        return $this->keys->create($scope)[1];
    }

    /** @return array<mixed> */
    public static function body(IngestResult $result): array
    {
        $body = json_decode($result->response->body, true, 64, JSON_THROW_ON_ERROR);
        Assert::assertIsArray($body);

        return $body;
    }

    /**
     * As the sinks get them, read in both ways that there are.
     *
     * @return list<array<string, mixed>> with JSON as its text and dates as theirs
     */
    public static function rows(string $lines): array
    {
        $codec = new Codec;
        $split = explode("\n", $lines);
        $single = array_map(static fn (string $line): array => self::plain($codec->decodeRow($line)[0]), $split);
        $replaced = 0;
        $many = (new LineDecoder($codec))->rows($split, $replaced);
        Assert::assertInstanceOf(Rows::class, $many, 'All rows have the same columns.');
        Assert::assertSame(0, $replaced);

        foreach ($split as $number => $line) {
            // Twice, so that the second time goes by the shape.
            $decoder = new LineDecoder($codec);
            $decoder->rows([$line], $replaced);
            $again = $decoder->rows([$line], $replaced);
            Assert::assertInstanceOf(Rows::class, $again);

            foreach ($again->all() as $row) {
                Assert::assertSame($single[$number], self::plain($row));
            }
        }

        return $single;
    }

    /**
     * @param array<array-key, mixed> $row
     * @return array<string, mixed>
     */
    private static function plain(array $row): array
    {
        $plain = [];

        foreach ($row as $column => $value) {
            $plain[(string) $column] = match (true) {
                $value instanceof Json => $value->text,
                $value instanceof Bytes => $value->value,
                $value instanceof DateTimeImmutable => $value->format('Y-m-d\TH:i:s.uP'),
                is_object($value) && property_exists($value, 'text') => $value->text,
                default => $value,
            };
        }

        return $plain;
    }
}
