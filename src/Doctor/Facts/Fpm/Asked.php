<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

use Closure;
use Headroom\Doctor\Facts\Kernel\UnableToTell;
use Headroom\Doctor\UnknownFact;
use Headroom\Host\Fpm\UnableToAsk;

/**
 * Something that is asked for once, whatever comes of it: a full pool costs seconds each time.
 *
 * @internal
 *
 * @template T of object
 */
final class Asked
{
    /** @var ?T */
    private ?object $answer = null;

    private ?UnknownFact $failure = null;

    /** @param Closure(): T $ask */
    public function __construct(private readonly Closure $ask) {}

    /**
     * @return T
     *
     * @throws UnknownFact
     */
    public function get(): object
    {
        if ($this->failure !== null) {
            throw $this->failure;
        }

        try {
            return $this->answer ??= ($this->ask)();
        } catch (UnknownFact $e) {
            throw $this->failure = $e;
        } catch (UnableToAsk|UnableToTell|UnreadableStatus|UnreadableRuntime $e) {
            throw $this->failure = UnknownFact::because($e->getMessage(), $e->command);
        }
    }
}
