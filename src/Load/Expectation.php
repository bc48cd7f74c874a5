<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What an answer has to be to count as succeeded.
 */
final readonly class Expectation
{
    /**
     * @param list<int> $statuses none: those below the plan's lowest failing one
     * @param ?string $body a text that has to be somewhere in the body
     *
     * @throws InvalidPlan
     */
    public function __construct(public array $statuses = [], public ?string $body = null)
    {
        foreach ($statuses as $status) {
            if ($status < 100 || $status > 599) {
                throw InvalidPlan::option(
                    'expect-status',
                    (string) $status,
                    'statuses from 100 to 599, such as 200,302',
                );
            }
        }

        if ($body === '') {
            throw InvalidPlan::option('expect-body', $body, 'a text of a byte or more: every body contains nothing');
        }
    }
}
