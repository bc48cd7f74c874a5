<?php

declare(strict_types=1);

namespace Headroom\Sink\Callback;

use Closure;
use Headroom\Core\Batch;
use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Sink\Inspectable;
use Headroom\Sink\Rejected;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use ReflectionClass;
use ReflectionException;
use ReflectionMethod;
use ReflectionNamedType;
use ReflectionParameter;
use Throwable;

/**
 * A class of the application with a method handle(). Each delivery gets a new instance, so that a worker that runs for
 * days carries no state from one event to the next.
 *
 * @internal
 */
final readonly class Handler implements Inspectable
{
    private const ALLOWED = 'the name of a class, or of an interface that is bound in the container, with a public'
        .' method handle(Headroom\Core\Record $event) or handle(Headroom\Core\Batch $events); a second parameter may be'
        .' a Headroom\Sink\Delivery';

    /**
     * @param class-string $class
     * @param Closure(class-string): object $make
     * @param Closure(Throwable): ?string $rejectionReason returns why the exception rejects the event for good, null if
     * a retry may help
     * @param Closure(Throwable): string $message
     */
    private function __construct(
        public string $class,
        public bool $takesBatches,
        private bool $takesDelivery,
        private string $key,
        private Closure $make,
        private Closure $rejectionReason,
        private Closure $message,
    ) {}

    /**
     * @param Closure(class-string): object $make
     * @param Closure(Throwable): ?string $rejectionReason
     * @param Closure(Throwable): string $message
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(
        ConfigReader $options,
        Closure $make,
        Closure $rejectionReason,
        Closure $message,
    ): self {
        $class = $options->only(['handler'])->string('handler');
        $key = "{$options->path}.handler";

        if (! class_exists($class) && ! interface_exists($class)) {
            throw InvalidConfig::notAllowed($key, $class, self::ALLOWED.'. There is no class of that name');
        }

        try {
            $method = new ReflectionMethod($class, 'handle');
        } catch (ReflectionException) {
            throw InvalidConfig::notAllowed($key, $class, self::ALLOWED.'. This class has no handle()');
        }

        $types = array_map(self::typeOf(...), $method->getParameters());
        $isSecondRight = ($types[1] ?? Delivery::class) === Delivery::class;

        if (
            ! $method->isPublic()
            || ! in_array($types[0] ?? '', [Record::class, Batch::class], true)
            || ! $isSecondRight
            || $method->getNumberOfRequiredParameters() > 2
        ) {
            throw InvalidConfig::notAllowed(
                $key,
                $class,
                self::ALLOWED.'. This class has handle('.implode(', ', $types).')',
            );
        }

        return new self(
            (new ReflectionClass($class))->getName(),
            $types[0] === Batch::class,
            isset($types[1]),
            $key,
            $make,
            $rejectionReason,
            $message,
        );
    }

    private static function typeOf(ReflectionParameter $parameter): string
    {
        $type = $parameter->getType();

        return $type instanceof ReflectionNamedType ? $type->getName() : '$'.$parameter->getName();
    }

    /**
     * @throws UnableToDeliver
     * @throws InvalidConfig
     */
    public function handle(Record|Batch $events, Delivery $delivery): void
    {
        $handler = $this->create();

        try {
            // fromOptions() has checked that both signatures exist.
            $arguments = $this->takesDelivery ? [$events, $delivery] : [$events];
            $handler->handle(...$arguments); // @phpstan-ignore method.notFound
        } catch (UnableToDeliver $e) {
            throw $e;
        } catch (Throwable $e) {
            $reason = ($this->rejectionReason)($e);

            throw $reason === null
                ? HandlerFailed::with($this->class, $e, ($this->message)($e))
                : Rejected::because($reason, $e);
        }
    }

    public function inspect(): array
    {
        try {
            $this->create();

            return [];
        } catch (HeadroomException $e) {
            return [new Finding(
                $this->class,
                $e->getMessage(),
                'Bind the class and its dependencies in a service provider, and run the check again.',
            )];
        }
    }

    /** @throws InvalidConfig */
    private function create(): object
    {
        try {
            return ($this->make)($this->class);
        } catch (Throwable $e) {
            throw InvalidConfig::notAllowed(
                $this->key,
                $this->class,
                "a class that the container can make. The container says: {$e->getMessage()}",
            );
        }
    }
}
