<?php

declare(strict_types=1);

namespace Headroom\Sink\Http;

/**
 * The body of a 207: a status for each event, in the order of the request. The body is a JSON list, or an object with
 * the list under `items`; entries are numbers or objects with a number under `status`.
 *
 * @internal
 */
final readonly class Statuses
{
    private const ENTRY_BYTES = 16_384;

    private const MAX_DEPTH = 32;

    /** @param list<int> $all */
    private function __construct(public array $all) {}

    /** @return self|string the problem, without any text of the body */
    public static function parse(string $body, int $events): self|string
    {
        $list = (new JsonList($body))->entries('items');
        $all = [];

        foreach ($list as $text) {
            if (count($all) === $events) {
                return "its body has more than {$events} entries";
            }

            $entry = strlen($text) > self::ENTRY_BYTES ? null : json_decode($text, true, self::MAX_DEPTH);
            $status = is_array($entry) ? $entry['status'] ?? null : $entry;

            if (! is_int($status) || $status < 200 || $status > 599 || intdiv($status, 100) === 3) {
                return 'entry '.(count($all) + 1).' of its body has no status from 200 to 299 or 400 to 599'
                    .(strlen($text) > self::ENTRY_BYTES ? ', or has more than '.self::ENTRY_BYTES.' bytes' : '');
            }

            $all[] = $status;
        }

        if (! $list->getReturn()) {
            return 'its body is not such a JSON list';
        }

        if (count($all) !== $events) {
            return 'its body has '.count($all).' entries';
        }

        return new self($all);
    }
}
