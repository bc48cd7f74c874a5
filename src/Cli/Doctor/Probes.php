<?php

declare(strict_types=1);

namespace Headroom\Cli\Doctor;

use Closure;
use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;

/**
 * How each fact is found out.
 *
 * @internal
 */
final readonly class Probes
{
    /** @return array<class-string, Closure(Facts): object> */
    public static function ofThisMachine(): array
    {
        return [
            Application::class => static fn (): object => throw AbsentFact::of('only an application knows: php artisan headroom:doctor'),
        ];
    }
}
