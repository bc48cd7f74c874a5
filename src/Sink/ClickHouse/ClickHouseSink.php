<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Sink\CreatesSchema;
use Headroom\Sink\DeduplicationKey;
use Headroom\Sink\Delivery;
use Headroom\Sink\HttpClient\HttpClient;
use Headroom\Sink\HttpClient\HttpResponse;
use Headroom\Sink\HttpClient\RequestBody;
use Headroom\Sink\HttpClient\StatusClassifier;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\Inspectable;
use Headroom\Sink\SchemaOptions;
use Headroom\Sink\SupportsProbe;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * Sends one INSERT per delivery. Delivers at least once. A ReplacingMergeTree on `event_id` removes duplicates when it
 * merges its parts. Until then a SELECT with FINAL hides them.
 *
 * @internal
 */
final class ClickHouseSink implements CreatesSchema, Inspectable, SupportsProbe
{
    /**
     * Limit of rows that the sink removes because the server's errors name them. The flusher finds others by bisection.
     */
    private const MAX_HINTS = 8;

    /** Limit for the text of an exception; a successful insert has an empty response. */
    private const ANSWER_BYTES = 65_536;

    public function __construct(
        private readonly ClickHouseOptions $options,
        private readonly Clock $clock,
        private readonly HttpClient $client = new HttpClient,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $options, Clock $clock): self
    {
        return new self(ClickHouseOptions::from($options), $clock);
    }

    public function deliver(Delivery $delivery): void
    {
        $names = new DeduplicationKey($this->options->id);
        $rows = [];

        foreach ($delivery->batch as $number => $record) {
            $rows[max(0, $number)] = JsonRow::of($record, $names->of($record) ?? $delivery->idOf($record));
        }

        $refused = $this->insertAccepted($rows);

        if ($refused !== []) {
            throw SomeRowsRefused::by(
                $this->options->endpoint,
                $this->options->table,
                $refused,
                count($delivery->batch),
            );
        }
    }

    public function probe(Delivery $delivery): void
    {
        $this->deliver($delivery);
    }

    public function setUp(SchemaOptions $wish): array
    {
        return (new TableSetup($this->options, $this->client, $this->clock))->run($wish);
    }

    public function inspect(): array
    {
        $missing = HttpClient::missing();

        return [
            ...$missing === null ? [] : [new Finding('clickhouse', $missing->getMessage(), $missing->fix)],
            ...$this->options->endpoint->inspect(),
        ];
    }

    /**
     * Inserts the rows without those that the server rejects. ClickHouse stores no row of an insert if it cannot parse
     * one of them. The error names a row. The sink sends that row alone, and rejects it only if the server refuses it
     * again.
     *
     * @param array<int<0, max>, string> $rows
     * @return array<int<0, max>, RowErrors> the rejected rows, by index
     *
     * @throws UnableToDeliver
     */
    private function insertAccepted(array $rows): array
    {
        $refused = [];
        $count = count($rows);

        while ($rows !== []) {
            $refusal = $this->insert($rows);

            if ($refusal === null) {
                break;
            }

            $number = array_keys($rows)[$refusal->hint() ?? -1] ?? null;
            $alone = $number === null || $count === 1 || count($refused) >= self::MAX_HINTS
                ? null
                : $this->insert([$number => $rows[$number]]);

            if ($number === null || $alone === null) {
                throw InsertRefused::by($this->options->endpoint, $this->options->table, $count, $refusal);
            }

            $refused[$number] = $alone;
            unset($rows[$number]);
        }

        return $refused;
    }

    /**
     * @param non-empty-array<int<0, max>, string> $rows
     * @return ?RowErrors null if the rows are stored
     *
     * @throws UnableToDeliver
     */
    private function insert(array $rows): ?RowErrors
    {
        $to = $this->options->endpoint;
        $query = http_build_query([
            'query' => "INSERT INTO {$this->options->table} FORMAT JSONEachRow",
            'date_time_input_format' => 'best_effort',
        ]);
        $body = RequestBody::for($to, implode("\n", $rows)."\n");
        $answer = $this->client->post(
            $to->at("/?{$query}"),
            [...$this->options->headers, ...$body->headers, 'Content-Type' => 'application/x-ndjson'],
            $body->bytes,
            $this->options->timeout,
            static fn (): int => self::ANSWER_BYTES,
        );
        $code = ServerError::codeOf($answer);

        return match (true) {
            $code !== null => $this->refusal($answer, $code),
            ! $answer->isSuccess() => throw StatusClassifier::on($answer, $to, $this->clock)
                ?? UnableToSend::busy($to, $answer->status),
            trim($answer->body) !== ''
                || $answer->status !== 200 => throw UnreadableAnswer::insert($to, $answer->status),
            default => null,
        };
    }

    /** @throws UnableToDeliver */
    private function refusal(HttpResponse $answer, int $code): RowErrors
    {
        $to = $this->options->endpoint;

        return match (ServerError::of($code)) {
            ServerError::Rows => RowErrors::fromBody($code, $answer->body),
            ServerError::Table => throw TableRefused::by($to, $this->options->table, $code),
            ServerError::Busy => throw StatusClassifier::later($answer, $to, $this->clock)
                ?? UnableToSend::serverError($to, "exception {$code} of ClickHouse"),
        };
    }
}
