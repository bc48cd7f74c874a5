<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * The conditions under which a response counts as a success.
 */
final readonly class Expectation
{
    /**
     * @param list<int> $statuses empty: all that the plan does not count as errors
     * @param ?string $body a text that the body must contain
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
            throw InvalidPlan::option('expect-body', $body, 'a text of at least one byte');
        }
    }
}
