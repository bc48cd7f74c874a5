<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Core\Clock;
use Headroom\Sink\HttpClient\HttpClient;
use Headroom\Sink\HttpClient\StatusClassifier;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\SchemaOptions;
use Headroom\Sink\SchemaStep;
use Headroom\Sink\SchemaStepState;
use Headroom\Sink\UnableToDeliver;

/**
 * Creates the table for collector events. It compares an existing table and never changes it.
 *
 * @internal
 */
final readonly class TableSetup
{
    private const TEXTS = [
        'id', 'source', 'type', 'subject', 'key', 'data', 'dataschema', 'datacontenttype', 'extensions',
    ];

    private const TIMES = ['time', 'received_at'];

    private const MICROSECONDS_SINCE = '20.1';

    private const TTL_SINCE = '19.6';

    private const ANSWER_BYTES = 1_048_576;

    public function __construct(private ClickHouseOptions $options, private HttpClient $client, private Clock $clock) {}

    /**
     * @return list<SchemaStep>
     *
     * @throws UnableToDeliver
     */
    public function run(SchemaOptions $wish): array
    {
        $version = trim($this->query('SELECT version()'));
        $what = "table {$this->options->table}";

        if (preg_match('/\A\d+\.\d+[\w.-]*\z/', $version) !== 1) {
            throw UnreadableAnswer::insert($this->options->endpoint, 200);
        }

        if (trim($this->query("EXISTS TABLE {$this->options->table}")) === '1') {
            return [$this->compare($what)];
        }

        $query = $this->creation($version, $wish->keepDays);

        if (! $wish->isDryRun) {
            $this->query($query);
        }

        return [
            new SchemaStep($wish->isDryRun ? SchemaStepState::Planned : SchemaStepState::Created, $what, '', $query),
            ...$wish->keepDays !== null && ! self::isAtLeast($version, self::TTL_SINCE)
                ? [new SchemaStep(
                    SchemaStepState::Unsupported,
                    "retention of {$this->options->table}",
                    "ClickHouse {$version} has no TTL for tables; 19.6 and later have it. Run without --keep,"
                        .' and delete old rows in another way.',
                )]
                : [],
        ];
    }

    /** The sorting key is `event_id` alone: a retried event is a duplicate even if its time differs. */
    private function creation(string $version, ?int $days): string
    {
        $time = self::isAtLeast($version, self::MICROSECONDS_SINCE) ? "DateTime64(6, 'UTC')" : "DateTime('UTC')";
        $columns = ['`'.JsonRow::ID.'` String'];

        foreach (self::TEXTS as $name) {
            $columns[] = "`{$name}` String";
        }

        foreach (self::TIMES as $name) {
            $columns[] = "`{$name}` {$time}";
        }

        $ttl = $days !== null && self::isAtLeast($version, self::TTL_SINCE)
            ? "\nTTL toDateTime(`received_at`) + INTERVAL {$days} DAY"
            : '';

        return "CREATE TABLE IF NOT EXISTS {$this->options->table} (\n    ".implode(",\n    ", $columns)
            ."\n) ENGINE = ReplacingMergeTree\nORDER BY `".JsonRow::ID.'`'.$ttl;
    }

    private function compare(string $what): SchemaStep
    {
        $existing = array_column(
            array_map(
                static fn (string $line): array => explode("\t", $line),
                explode("\n", trim($this->query("DESCRIBE TABLE {$this->options->table} FORMAT TabSeparated"))),
            ),
            0,
        );
        $missing = array_diff([JsonRow::ID, ...self::TEXTS, ...self::TIMES], $existing);
        $engine = preg_match(
            '/ENGINE = (\w+)/',
            $this->query("SHOW CREATE TABLE {$this->options->table} FORMAT TabSeparatedRaw"),
            $m,
        ) === 1
            ? $m[1]
            : 'unknown';

        return match (true) {
            $missing !== [] => new SchemaStep(
                SchemaStepState::Differs,
                $what,
                'The table exists without the column'.(count($missing) === 1 ? ' ' : 's ').implode(', ', $missing)
                    .'; ClickHouse rejects collector events that have them. Add them (ALTER TABLE … ADD COLUMN),'
                    .' or give the bucket another table.',
            ),
            ! str_contains($engine, 'ReplacingMergeTree') => new SchemaStep(
                SchemaStepState::Differs,
                $what,
                "Its engine is {$engine}, so a retried event is stored twice. A ReplacingMergeTree ordered by "
                    .JsonRow::ID.' removes the duplicate.',
            ),
            default => new SchemaStep(SchemaStepState::Unchanged, $what),
        };
    }

    /** @throws UnableToDeliver */
    private function query(string $query): string
    {
        $to = $this->options->endpoint;
        $answer = $this->client->post(
            $to->at('/'),
            $this->options->headers,
            $query,
            $this->options->timeout,
            static fn (): int => self::ANSWER_BYTES,
        );
        $code = ServerError::codeOf($answer);

        return match (true) {
            $code !== null => throw TableRefused::by($to, $this->options->table, $code),
            ! $answer->isSuccess() => throw StatusClassifier::on($answer, $to, $this->clock)
                ?? UnreadableAnswer::insert($to, $answer->status),
            default => $answer->body,
        };
    }

    private static function isAtLeast(string $version, string $wanted): bool
    {
        return version_compare($version, $wanted, '>=');
    }
}
