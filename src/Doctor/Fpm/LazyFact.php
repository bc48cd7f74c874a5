<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Closure;
use Headroom\Doctor\FactUnavailable;
use Headroom\Host\Fpm\UnableToQueryPool;

/**
 * A fact that is read on demand and once. A failure is kept too, because a full pool takes seconds each time.
 *
 * @internal
 *
 * @template T of object
 */
final class LazyFact
{
    /** @var ?T */
    private ?object $answer = null;

    private ?FactUnavailable $failure = null;

    /** @param Closure(): T $ask */
    public function __construct(private readonly Closure $ask) {}

    /**
     * @return T
     *
     * @throws FactUnavailable
     */
    public function get(): object
    {
        if ($this->failure !== null) {
            throw $this->failure;
        }

        try {
            return $this->answer ??= ($this->ask)();
        } catch (FactUnavailable $e) {
            throw $this->failure = $e;
        } catch (UnableToQueryPool $e) {
            throw $this->failure = FactUnavailable::because($e->getMessage(), $e->command);
        }
    }
}
