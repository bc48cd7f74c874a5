<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * The result of one step in creating a destination.
 *
 * @internal
 */
final readonly class SchemaStep
{
    /**
     * @param string $what the object, such as "index template headroom-events"
     * @param string $note the difference or the next step; "" if there is neither
     * @param string $request method, path and body of the request, also in a dry run; "" if the step needs none
     */
    public function __construct(
        public SchemaStepState $state,
        public string $what,
        public string $note = '',
        public string $request = '',
    ) {}
}
