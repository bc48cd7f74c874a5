<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Support\TerminalText;

/**
 * The body of a 200 to `_bulk`: an item for each document, in the order of the request, each with its id.
 *
 * @internal
 */
final readonly class BulkResponse
{
    /** Requests only these members: the full response is larger than the request. */
    public const FILTER = 'filter_path=took,errors,items.*._id,items.*.status,items.*.error.type,items.*.error.reason';

    private const BYTES = 65_536;

    private const BYTES_PER_EVENT = 4096;

    private const MAX_DEPTH = 8;

    /** @param array<int<0, max>, Item> $failed by the event's index in the delivery */
    private function __construct(public array $failed) {}

    public static function maxBytes(BulkChunk $chunk): int
    {
        return self::BYTES + count($chunk->documents) * self::BYTES_PER_EVENT;
    }

    /** @return self|string the problem, without any text of the body */
    public static function parse(string $body, BulkChunk $chunk): self|string
    {
        $answer = json_decode($body, true, self::MAX_DEPTH);
        $items = is_array($answer) ? $answer['items'] ?? null : null;

        if (! is_array($answer) || ! is_array($items) || ! array_is_list($items)) {
            return 'its body is not JSON with a list `items`';
        }

        if (count($items) !== count($chunk->documents)) {
            return 'it has '.TerminalText::count(count($items), 'item').' for '.count($chunk->documents);
        }

        $failed = [];
        $place = 0;

        foreach ($chunk->ids as $number => $id) {
            $item = is_array($items[$place]) ? $items[$place]['create'] ?? null : null;
            $place++;

            if (! is_array($item) || ($item['_id'] ?? null) !== $id) {
                return "item {$place} is about another document than the request has there";
            }

            $status = $item['status'] ?? null;

            // A stored document has no error, and a rejected one has no status below 400.
            if (
                ! is_int($status)
                || $status < 200
                || $status > 599
                || intdiv($status, 100) === 3
                || ($status < 300 && isset($item['error']))
            ) {
                return "item {$place} has no status from 200 to 299 without an error, or from 400 to 599";
            }

            $error = is_array($item['error'] ?? null) ? $item['error'] : [];
            $type = self::text($error, 'type');
            $outcome = ItemOutcome::of($status, $type);

            if ($outcome === ItemOutcome::Stored) {
                continue;
            }

            $failed[$number] = new Item(
                $outcome,
                $status,
                preg_match('/\A\w{1,80}\z/', $type) === 1 ? $type : 'error',
                self::text($error, 'reason'),
            );
        }

        return new self($failed);
    }

    /** @return array<int<0, max>, Item> */
    public function of(ItemOutcome $outcome): array
    {
        return array_filter($this->failed, static fn (Item $item): bool => $item->outcome === $outcome);
    }

    /** @param array<mixed> $error */
    private static function text(array $error, string $name): string
    {
        return is_string($error[$name] ?? null) ? $error[$name] : '';
    }
}
