<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Closure;
use ReflectionFunction;
use ReflectionNamedType;

/**
 * A callback of the application that takes events. Its signature is checked before it gets any.
 *
 * @internal
 */
final readonly class Callback
{
    private function __construct(private Closure $function, public CallbackInput $input, private int $parameters) {}

    /** @throws InvalidCallback */
    public static function of(callable $function): self
    {
        $closure = $function(...);
        $reflection = new ReflectionFunction($closure);
        $parameters = $reflection->getParameters();
        $returned = $reflection->getReturnType();

        if ($parameters === []) {
            throw InvalidCallback::takesNothing();
        }

        if (
            $returned instanceof ReflectionNamedType
            && in_array($returned->getName(), ['void', 'never', 'null'], true)
        ) {
            throw InvalidCallback::returnsNothing($returned->getName());
        }

        return new self(
            $closure,
            CallbackInput::of($parameters[0]->getType()),
            $reflection->isVariadic() ? PHP_INT_MAX : count($parameters),
        );
    }

    /**
     * @param string $delivery an idempotency key: the same for every retry
     * @return mixed the callback's answer, unchecked
     */
    public function call(mixed $events, string $bucket, string $delivery): mixed
    {
        // An internal function of PHP throws when it gets more arguments than it declares.
        return ($this->function)(...array_slice([$events, $bucket, $delivery], 0, $this->parameters));
    }
}
