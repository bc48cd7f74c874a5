<?php

declare(strict_types=1);

namespace Headroom\Sink\Http;

/**
 * The body of a 207: a status for each event, in the order in which they were sent. Accepted are a JSON list, or an
 * object with such a list under `items`, of numbers or of objects with a number under `status`.
 *
 * @internal
 */
final readonly class Statuses
{
    /** @param list<int> $all */
    private function __construct(public array $all) {}

    /** @return self|string what is wrong with it, without anything of it */
    public static function parse(string $body, int $events): self|string
    {
        $list = json_decode($body, true);
        $list = is_array($list) && is_array($list['items'] ?? null) ? $list['items'] : $list;

        if (! is_array($list) || ! array_is_list($list)) {
            return 'its body is no such JSON';
        }

        if (count($list) !== $events) {
            return 'its body has '.count($list).' entries';
        }

        $all = [];

        foreach ($list as $number => $entry) {
            $status = is_array($entry) ? $entry['status'] ?? null : $entry;

            if (! is_int($status) || $status < 200 || $status > 599 || intdiv($status, 100) === 3) {
                return 'entry '.($number + 1).' of its body has no status from 200 to 299 or 400 to 599';
            }

            $all[] = $status;
        }

        return new self($all);
    }
}
