<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Core\Clock;
use Headroom\Sink\SetupState;
use Headroom\Sink\SetupStep;
use Headroom\Sink\SetupWish;
use Headroom\Sink\Transport\HttpClient;
use Headroom\Sink\Transport\UnreadableAnswer;
use Headroom\Sink\Transport\Verdict;
use Headroom\Sink\UnableToDeliver;

/**
 * Makes the table for events of the collector. One that is there is looked at and never changed.
 *
 * @internal
 */
final readonly class TableSetup
{
    private const TEXTS = ['id', 'source', 'type', 'subject', 'key', 'data', 'dataschema', 'datacontenttype', 'extensions'];

    private const TIMES = ['time', 'received_at'];

    private const MICROSECONDS_SINCE = '20.1';

    private const TTL_SINCE = '19.6';

    private const ANSWER_BYTES = 1_048_576;

    public function __construct(private ClickHouseOptions $options, private HttpClient $client, private Clock $clock) {}

    /**
     * @return list<SetupStep>
     *
     * @throws UnableToDeliver
     */
    public function run(SetupWish $wish): array
    {
        $version = trim($this->ask('SELECT version()'));
        $what = "table {$this->options->table}";

        if (preg_match('/\A\d+\.\d+[\w.-]*\z/', $version) !== 1) {
            throw UnreadableAnswer::insert($this->options->endpoint, 200);
        }

        if (trim($this->ask("EXISTS TABLE {$this->options->table}")) === '1') {
            return [$this->look($what)];
        }

        $query = $this->creation($version, $wish->keepDays);

        if (! $wish->isDry) {
            $this->ask($query);
        }

        return [
            new SetupStep($wish->isDry ? SetupState::Wanted : SetupState::Made, $what, '', $query),
            ...$wish->keepDays !== null && ! self::isAtLeast($version, self::TTL_SINCE)
                ? [new SetupStep(SetupState::Impossible, "retention of {$this->options->table}", "ClickHouse {$version} knows no TTL of tables (19.6 does). Leave --keep out, and remove old rows in another way.")]
                : [],
        ];
    }

    /** By `event_id` alone: what has the same is the same, whatever time it says the second time. */
    private function creation(string $version, ?int $days): string
    {
        $time = self::isAtLeast($version, self::MICROSECONDS_SINCE) ? "DateTime64(6, 'UTC')" : "DateTime('UTC')";
        $columns = ['`'.Row::ID.'` String'];

        foreach (self::TEXTS as $name) {
            $columns[] = "`{$name}` String";
        }

        foreach (self::TIMES as $name) {
            $columns[] = "`{$name}` {$time}";
        }

        $ttl = $days !== null && self::isAtLeast($version, self::TTL_SINCE) ? "\nTTL toDateTime(`received_at`) + INTERVAL {$days} DAY" : '';

        return "CREATE TABLE IF NOT EXISTS {$this->options->table} (\n    ".implode(",\n    ", $columns)."\n) ENGINE = ReplacingMergeTree\nORDER BY `".Row::ID.'`'.$ttl;
    }

    private function look(string $what): SetupStep
    {
        $there = array_column(array_map(static fn (string $line): array => explode("\t", $line), explode("\n", trim($this->ask("DESCRIBE TABLE {$this->options->table} FORMAT TabSeparated")))), 0);
        $missing = array_diff([Row::ID, ...self::TEXTS, ...self::TIMES], $there);
        $engine = preg_match('/ENGINE = (\w+)/', $this->ask("SHOW CREATE TABLE {$this->options->table} FORMAT TabSeparatedRaw"), $m) === 1 ? $m[1] : 'unknown';

        return match (true) {
            $missing !== [] => new SetupStep(SetupState::Differs, $what, 'It is there without the column'.(count($missing) === 1 ? ' ' : 's ').implode(', ', $missing).'; events of the collector that have them are refused. Add them (ALTER TABLE … ADD COLUMN), or give the bucket another table.'),
            ! str_contains($engine, 'ReplacingMergeTree') => new SetupStep(SetupState::Differs, $what, "Its engine is {$engine}, so that an event that comes again stays there twice. A ReplacingMergeTree ordered by ".Row::ID.' drops it.'),
            default => new SetupStep(SetupState::There, $what),
        };
    }

    /** @throws UnableToDeliver */
    private function ask(string $query): string
    {
        $to = $this->options->endpoint;
        $answer = $this->client->post($to->at('/'), $this->options->headers, $query, $this->options->timeout, static fn (): int => self::ANSWER_BYTES);
        $code = Fault::codeOf($answer);

        return match (true) {
            $code !== null => throw TableRefused::by($to, $this->options->table, $code),
            ! $answer->isSuccess() => throw Verdict::on($answer, $to, $this->clock) ?? UnreadableAnswer::insert($to, $answer->status),
            default => $answer->body,
        };
    }

    private static function isAtLeast(string $version, string $wanted): bool
    {
        return version_compare($version, $wanted, '>=');
    }
}
