<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\ClickHouse;

use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Assert;

/**
 * The ClickHouse of bin/services.
 */
final readonly class ClickHouseServer
{
    private function __construct(public string $url) {}

    /** Skips the running test where there is none; where CI=true it fails. */
    public static function get(): self
    {
        $url = getenv('HEADROOM_CLICKHOUSE_URL');

        if ($url === false) {
            MissingServer::named(
                'clickhouse',
                'HEADROOM_CLICKHOUSE_URL is not set, so no ClickHouse to test on: bin/services run clickhouse --'
                    .' <this command>.',
            );
        }

        return new self($url);
    }

    public function ask(string $query): string
    {
        $answer = file_get_contents(
            "{$this->url}/?output_format_json_quote_64bit_integers=0",
            false,
            stream_context_create([
                'http' => ['method' => 'POST', 'content' => $query, 'ignore_errors' => true, 'timeout' => 30],
            ]),
        );
        Assert::assertIsString($answer);
        Assert::assertStringStartsNotWith('Code: ', $answer, $query);

        return $answer;
    }

    /** @return list<array<string, mixed>> */
    public function rows(string $query): array
    {
        return array_map(
            static function (string $line): array {
                $row = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
                Assert::assertIsArray($row);

                /** @var array<string, mixed> $row */
                return $row;
            },
            array_values(array_filter(
                explode("\n", $this->ask("{$query} FORMAT JSONEachRow")),
                static fn (string $line): bool => $line !== '',
            )),
        );
    }
}
