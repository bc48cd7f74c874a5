<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

use PhpParser\Error;
use PhpParser\Node;
use PhpParser\NodeFinder;
use PhpParser\NodeTraverser;
use PhpParser\NodeVisitor\NameResolver;
use PhpParser\ParserFactory;

/**
 * A block of PHP, parsed.
 */
final readonly class PhpCode
{
    /** @param list<Node> $nodes with names resolved */
    private function __construct(public PhpShape $shape, private string $code, private array $nodes) {}

    /** @throws Error if it is no part of a PHP file */
    public static function parse(string $code): self
    {
        $first = null;

        foreach (PhpShape::cases() as $shape) {
            try {
                $nodes = (new ParserFactory)->createForNewestSupportedVersion()->parse($shape->file($code)) ?? [];
                $resolver = new NodeTraverser(new NameResolver);

                return new self($shape, $code, array_values($resolver->traverse($nodes)));
            } catch (Error $e) {
                $first ??= $e;
            }
        }

        throw $first;
    }

    /** @return string the block as a whole file */
    public function file(): string
    {
        return $this->shape->file($this->code);
    }

    /** @return list<string> names of the classes that the block declares */
    public function declared(): array
    {
        $names = [];

        foreach ($this->find(Node\Stmt\ClassLike::class) as $class) {
            $names[] = (string) $class->namespacedName;
        }

        return array_values(array_filter($names, static fn (string $name): bool => $name !== ''));
    }

    /** @return array<string, bool> whether a `use` line imports it, by name of a class that the block uses */
    public function used(): array
    {
        $imported = [];

        foreach ($this->find(Node\Stmt\Use_::class) as $use) {
            foreach ($use->type === Node\Stmt\Use_::TYPE_NORMAL ? $use->uses : [] as $one) {
                $imported[$one->name->toString()] = true;
            }
        }

        $used = $imported;

        foreach ($this->find(Node\Name\FullyQualified::class) as $name) {
            $original = $name->getAttribute('originalName');
            $isWritten = $original instanceof Node\Name\FullyQualified || $name->isSpecialClassName();
            $used[$name->toString()] ??= $isWritten;
        }

        foreach ($this->functions() as $function) {
            unset($used[$function]);
        }

        return $used;
    }

    /** @return list<array{string, string}> class and method of each static call */
    public function staticCalls(): array
    {
        $calls = [];

        foreach ($this->find(Node\Expr\StaticCall::class) as $call) {
            if ($call->class instanceof Node\Name\FullyQualified && $call->name instanceof Node\Identifier) {
                $calls[] = [$call->class->toString(), $call->name->toString()];
            }
        }

        return $calls;
    }

    /** @return list<array{string, non-empty-list<string>}> class and methods of each chain that begins with it */
    public function chains(): array
    {
        $chains = [];

        foreach ($this->find(Node\Expr\MethodCall::class) as $call) {
            [$node, $methods] = [$call, []];

            while ($node instanceof Node\Expr\MethodCall) {
                array_unshift($methods, $node->name instanceof Node\Identifier ? $node->name->toString() : '');
                $node = $node->var;
            }

            $isStatic = $node instanceof Node\Expr\StaticCall && $node->name instanceof Node\Identifier;

            if ($isStatic && $node->class instanceof Node\Name\FullyQualified) {
                $chains[] = [$node->class->toString(), [$node->name->toString(), ...$methods]];
            }
        }

        return $chains;
    }

    /** @return list<string> functions and constants, which have names as classes have */
    private function functions(): array
    {
        $names = [];

        foreach ([...$this->find(Node\Expr\FuncCall::class), ...$this->find(Node\Expr\ConstFetch::class)] as $node) {
            if ($node->name instanceof Node\Name) {
                $names[] = $node->name->toString();
            }
        }

        return $names;
    }

    /**
     * @template T of Node
     *
     * @param class-string<T> $type
     * @return list<T>
     */
    private function find(string $type): array
    {
        return array_values((new NodeFinder)->findInstanceOf($this->nodes, $type));
    }
}
