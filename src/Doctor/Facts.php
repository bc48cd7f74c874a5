<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Closure;
use LogicException;
use Throwable;

/**
 * The facts about the machine and the application, by class. Each is probed once, when the first check asks for it.
 */
final class Facts
{
    /** @var array<class-string, object> */
    private array $found = [];

    /** @var array<class-string, Throwable> */
    private array $missing = [];

    /** @var array<class-string, true> */
    private array $asked = [];

    /** @var list<class-string> those that are being looked for, each for the one before it */
    private array $probing = [];

    /** @var array<class-string, array<class-string, true>> the facts that a fact was made of */
    private array $madeOf = [];

    private ?self $origin = null;

    /**
     * @internal
     *
     * @param array<class-string, Closure(self): object> $probes each throws FactUnavailable or
     *     NotApplicable where it finds nothing
     */
    public function __construct(private readonly array $probes) {}

    /**
     * A fact that a check judges by. If it cannot be read, in whole or in part, the check
     * neither passes nor is skipped.
     *
     * @template T of object
     *
     * @param class-string<T> $class
     * @return T
     *
     * @throws FactUnavailable
     * @throws NotApplicable
     */
    public function get(string $class): object
    {
        $this->asked[$class] = true;

        return $this->lookUp($class);
    }

    /**
     * A fact that a finding only shows, or needs for its fix. Null if it does not exist here or cannot be read.
     *
     * @template T of object
     *
     * @param class-string<T> $class
     * @return ?T
     */
    public function find(string $class): ?object
    {
        try {
            return $this->lookUp($class);
        } catch (FactUnavailable|NotApplicable) {
            return null;
        }
    }

    /**
     * The same facts, in a copy that records which of them are asked for. A fact is probed once for both.
     *
     * @internal
     */
    public function traced(): self
    {
        $probes = [];

        foreach (array_keys($this->probes) as $class) {
            $probes[$class] = fn (): object => $this->get($class);
        }

        $fresh = new self($probes);
        $fresh->origin = $this;

        return $fresh;
    }

    /**
     * The same facts, where one is replaced.
     *
     * @internal
     */
    public function with(object $fact): self
    {
        $facts = $this->traced();
        $facts->found[$fact::class] = $fact;

        return $facts;
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

    /**
     * The facts that were asked for here and could not be read, in whole or in part,
     * and the facts that they were made of.
     *
     * @internal
     *
     * @return array<class-string, array<string, FactUnavailable>> the parts of each fact, by name; '' is the whole fact
     */
    public function unread(): array
    {
        $unread = [];

        foreach (array_keys($this->asked) as $class) {
            $unread[$class] = $this->unreadOf($class, $this->asked);
        }

        return array_filter($unread);
    }

    /**
     * @param class-string $class
     * @param array<class-string, true> $asked these speak for themselves
     * @return array<string, FactUnavailable> of it and of what it was made of
     */
    private function unreadOf(string $class, array $asked): array
    {
        if ($this->origin !== null) {
            return $this->origin->unreadOf($class, $asked);
        }

        $unread = self::parts($this->found[$class] ?? $this->missing[$class] ?? null);

        foreach (array_keys(array_diff_key($this->madeOf[$class] ?? [], $asked)) as $part) {
            $unread += $this->unreadOf($part, $asked);
        }

        return $unread;
    }

    /** @return array<string, FactUnavailable> */
    private static function parts(?object $fact): array
    {
        return match (true) {
            $fact instanceof FactUnavailable => ['' => $fact],
            $fact instanceof PartialFact => $fact->unread(),
            default => [],
        };
    }

    /**
     * @template T of object
     *
     * @param class-string<T> $class
     * @return T
     *
     * @throws FactUnavailable
     * @throws NotApplicable
     */
    private function lookUp(string $class): object
    {
        $for = end($this->probing);

        if ($for !== false) {
            $this->madeOf[$for][$class] = true;
        }

        if (isset($this->missing[$class])) {
            throw $this->missing[$class];
        }

        $fact = $this->found[$class] ??= $this->probed($class);

        return $fact instanceof $class ? $fact : throw new LogicException(
            "The probe of {$class} found a ".$fact::class.'.',
        );
    }

    /** @param class-string $class */
    private function probed(string $class): object
    {
        $probe = $this->probes[$class] ?? throw NotApplicable::of("there is no probe of {$class} here");
        $this->probing[] = $class;

        try {
            return $probe($this);
        } catch (Throwable $e) {
            throw $this->missing[$class] = $e;
        } finally {
            array_pop($this->probing);
        }
    }
}
