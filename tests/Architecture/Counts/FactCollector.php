<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

use PhpParser\Node;
use PhpParser\Node\Expr;
use PhpParser\Node\Name;
use PhpParser\Node\Scalar\String_;
use PhpParser\Node\Stmt\Class_;
use PhpParser\Node\Stmt\ClassLike;
use PhpParser\Node\Stmt\Enum_;
use PhpParser\Node\Stmt\Interface_;
use PhpParser\NodeVisitorAbstract;

/**
 * Collects classes, names of classes and texts of exceptions; the names have been resolved before.
 */
final class FactCollector extends NodeVisitorAbstract
{
    /** @var list<ParsedClass> */
    public array $classes = [];

    /** @var array<string, true> */
    public array $uses = [];

    /** @var list<Message> */
    public array $messages = [];

    public function enterNode(Node $node): null
    {
        if ($node instanceof Name\FullyQualified) {
            $this->uses[$node->toString()] = true;
        }

        if ($node instanceof ClassLike && $node->namespacedName !== null) {
            $this->classes[] = new ParsedClass(
                $node->namespacedName->toString(),
                array_map(static fn (Name $name): string => $name->toString(), self::parents($node)),
                count($node->getMethod('__construct')->params ?? []),
            );
        }

        if ($node instanceof Expr\New_ && $node->class instanceof Name) {
            $this->messages[] = $this->message($node->class, $node->args, $node->getStartLine());
        }

        $isParent = $node instanceof Expr\StaticCall
            && $node->class instanceof Name
            && $node->class->toString() === 'parent'
            && $node->name instanceof Node\Identifier
            && $node->name->toString() === '__construct';

        if ($isParent) {
            $this->messages[] = $this->message(new Name('self'), $node->args, $node->getStartLine());
        }

        return null;
    }

    /** @return list<Name> */
    private static function parents(ClassLike $class): array
    {
        return array_values(match (true) {
            $class instanceof Class_ => [...$class->implements, ...($class->extends === null ? [] : [$class->extends])],
            $class instanceof Interface_ => $class->extends,
            $class instanceof Enum_ => $class->implements,
            default => [],
        });
    }

    /** @param array<Node> $arguments */
    private function message(Name $class, array $arguments, int $line): Message
    {
        $own = in_array($class->toLowerString(), ['self', 'static'], true);
        $last = $this->classes[array_key_last($this->classes) ?? -1]->name ?? '';
        $text = implode('', array_map(self::literal(...), $arguments));

        return new Message($own ? $last : $class->toString(), $line, $text);
    }

    /** The longest text that can come of it, without what is only known at run time. */
    private static function literal(Node $node): string
    {
        if ($node instanceof String_ || $node instanceof Node\InterpolatedStringPart) {
            return $node->value;
        }

        $parts = [];

        foreach (get_object_vars($node) as $children) {
            foreach (is_array($children) ? $children : [$children] as $child) {
                $parts[] = $child instanceof Node ? self::literal($child) : '';
            }
        }

        if ($node instanceof Expr\Ternary || $node instanceof Expr\Match_) {
            usort($parts, static fn (string $a, string $b): int => strlen($b) <=> strlen($a));

            return $parts[0] ?? '';
        }

        return implode('', $parts);
    }
}
