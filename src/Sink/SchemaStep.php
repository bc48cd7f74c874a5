<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * What became of one part.
 *
 * @internal
 */
final readonly class SchemaStep
{
    /**
     * @param string $what such as "index template headroom-events"
     * @param string $note what differs, or what to do next; empty where there is nothing to say
     * @param string $request what was sent, or would be: the method, the path and the body; empty where there was nothing to send
     */
    public function __construct(public SchemaStepState $state, public string $what, public string $note = '', public string $request = '') {}
}
