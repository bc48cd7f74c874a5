<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

final readonly class ClassLike
{
    /**
     * @param string $kind "class", "interface", "trait" or "enum"
     * @param list<string> $modifiers
     * @param list<string> $members methods by name, and "use" for each line of traits
     */
    public function __construct(
        public string $kind,
        public string $name,
        public array $modifiers,
        private array $members,
    ) {}

    public function isFinal(): bool
    {
        return in_array($this->kind, ['interface', 'enum'], true) || in_array('final', $this->modifiers, true);
    }

    public function methods(): int
    {
        return count($this->members) - $this->traits();
    }

    public function traits(): int
    {
        return count(array_keys($this->members, 'use', true));
    }
}
