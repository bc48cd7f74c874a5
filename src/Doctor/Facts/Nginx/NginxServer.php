<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\UnknownFact;

/**
 * The nginx that the doctor looks at.
 *
 * @internal
 */
final readonly class NginxServer
{
    /** @param ?Master $master null where none runs, and its configuration was read all the same */
    public function __construct(public NginxFacts $facts, public ?Master $master) {}

    /**
     * @param non-empty-list<NginxResult> $results
     *
     * @throws AbsentFact
     * @throws UnknownFact
     */
    public static function of(array $results): self
    {
        $unknown = null;

        foreach ($results as $result) {
            if ($result->facts !== null) {
                return new self($result->facts, $result->master);
            }

            $unknown ??= $result;
        }

        throw $unknown->master === null ? AbsentFact::of($unknown->reason ?? 'no nginx runs here') : UnknownFact::because($unknown->reason ?? 'The configuration of nginx is not known.', 'sudo nginx -T');
    }

    /** That has it read its configuration again. */
    public function reload(): string
    {
        return $this->master === null ? 'sudo nginx -t && sudo systemctl reload nginx' : "sudo kill -HUP {$this->master->pid}";
    }
}
