<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Closure;
use LogicException;
use Throwable;

use function array_keys;

/**
 * What is known of the machine and of the application, by the class that holds it. Each is looked for when the first check
 * asks, and once.
 */
final class Facts
{
    /** @var array<class-string, object> */
    private array $found = [];

    /** @var array<class-string, Throwable> */
    private array $missing = [];

    /** @var array<class-string, true> */
    private array $asked = [];

    /**
     * @internal
     *
     * @param array<class-string, Closure(self): object> $probes each throws UnknownFact or AbsentFact where it finds nothing
     */
    public function __construct(private readonly array $probes) {}

    /**
     * @template T of object
     *
     * @param class-string<T> $class
     * @return T
     *
     * @throws UnknownFact
     * @throws AbsentFact
     */
    public function get(string $class): object
    {
        $this->asked[$class] = true;

        if (isset($this->missing[$class])) {
            throw $this->missing[$class];
        }

        $fact = $this->found[$class] ??= $this->probed($class);

        return $fact instanceof $class ? $fact : throw new LogicException("The probe of {$class} found a ".$fact::class.'.');
    }

    /**
     * The same facts, where nothing was asked for yet: what is found is found for both.
     *
     * @internal
     *
     * @param ?object $instead stands for what is known under its class
     */
    public function afresh(?object $instead = null): self
    {
        $probes = [];

        foreach (array_keys($this->probes) as $class) {
            $probes[$class] = fn (): object => $this->get($class);
        }

        return new self($instead === null ? $probes : [$instead::class => static fn (): object => $instead] + $probes);
    }

    /**
     * @internal
     *
     * @param class-string $class
     */
    public function wasAsked(string $class): bool
    {
        return isset($this->asked[$class]);
    }

    /** @param class-string $class */
    private function probed(string $class): object
    {
        $probe = $this->probes[$class] ?? throw AbsentFact::of("nobody looks for {$class} here");

        try {
            return $probe($this);
        } catch (Throwable $e) {
            throw $this->missing[$class] = $e;
        }
    }
}
