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
    public function __construct(public NginxFacts $facts, public Master $master) {}

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
            if ($result->facts !== null && $result->master !== null) {
                return new self($result->facts, $result->master);
            }

            // Files of an nginx that does not run serve nobody.
            $unknown ??= $result->master === null ? null : $result;
        }

        throw $unknown === null ? AbsentFact::of('no nginx runs here') : UnknownFact::because($unknown->reason ?? 'The configuration of nginx is not known.', 'sudo nginx -T');
    }

    /** That has it read its configuration again. */
    public function reload(): string
    {
        return "sudo kill -HUP {$this->master->pid}";
    }
}
