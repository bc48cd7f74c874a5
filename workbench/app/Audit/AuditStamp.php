<?php

declare(strict_types=1);

namespace Workbench\App\Audit;

use Illuminate\Contracts\Container\Container;

/**
 * What an answer says of its audit: nothing where nothing was audited.
 */
final readonly class AuditStamp
{
    public function __construct(private Container $container) {}

    /** @return array{audit?: list<string>} */
    public function of(): array
    {
        return class_exists(AuditTrail::class, false)
            ? ['audit' => $this->container->make(AuditTrail::class)->notes()]
            : [];
    }
}
