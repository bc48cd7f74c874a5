<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Models;

use Headroom\Laravel\Eloquent\BuffersWrites;
use Illuminate\Database\Eloquent\Casts\ArrayObject;
use Illuminate\Database\Eloquent\Casts\AsArrayObject;
use Illuminate\Database\Eloquent\Casts\AsCollection;
use Illuminate\Database\Eloquent\Casts\AsEnumCollection;
use Illuminate\Database\Eloquent\Casts\AsStringable;
use Illuminate\Database\Eloquent\Casts\Attribute;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Schema\Blueprint;

/**
 * A model with every cast that Eloquent has.
 */
final class Sample extends Model
{
    use BuffersWrites;

    protected $table = 'samples';

    protected $guarded = ['id', 'guarded'];

    /** @var array<string, mixed> */
    protected $attributes = ['by_default' => 'of the model', 'by_default_json' => '{"a":1}'];

    public static function columns(Blueprint $table): void
    {
        $table->id();
        $table->string('kind');
        $table->string('guarded')->default('of the table');
        $table->string('by_default');
        $table->string('nothing')->nullable();

        foreach (['integer', 'rank', 'timestamp', 'x', 'y'] as $column) {
            $table->bigInteger($column)->nullable();
        }

        foreach (['real', 'double'] as $column) {
            $table->double($column)->nullable();
        }

        foreach ([
            'string', 'shade', 'stringable', 'mutated', 'mutated_as_of_old', 'encrypted', 'encrypted_array',
            'encrypted_object', 'encrypted_collection', 'hashed', 'loose',
        ] as $column) {
            $table->text($column)->nullable();
        }

        foreach ([
            'array', 'json', 'json_unicode', 'object', 'collection', 'array_object', 'as_collection', 'shades',
            'by_default_json',
        ] as $column) {
            $table->json($column)->nullable();
        }

        foreach ([
            'datetime', 'datetime_format', 'immutable_datetime', 'immutable_datetime_format', 'uncast_date',
        ] as $column) {
            $table->dateTime($column)->nullable();
        }

        $table->boolean('boolean')->nullable();
        $table->decimal('decimal', 12, 3)->nullable();
        $table->date('date')->nullable();
        $table->date('immutable_date')->nullable();
        $table->timestamps();
    }

    /** @return array<string, string> */
    protected function casts(): array
    {
        return [
            'integer' => 'integer', 'real' => 'real', 'double' => 'double', 'decimal' => 'decimal:3',
            'string' => 'string', 'boolean' => 'boolean',
            'object' => 'object', 'array' => 'array', 'json' => 'json', 'collection' => 'collection',
            // Laravel 11 does not know it yet.
            'json_unicode' => in_array('json:unicode', self::$primitiveCastTypes, true) ? 'json:unicode' : 'json',
            'array_object' => AsArrayObject::class, 'as_collection' => AsCollection::class,
            'shades' => AsEnumCollection::class.':'.Shade::class,
            'stringable' => AsStringable::class, 'shade' => Shade::class, 'rank' => Rank::class,
            'date' => 'date', 'immutable_date' => 'immutable_date', 'datetime' => 'datetime',
            'datetime_format' => 'datetime:d.m.Y',
            'immutable_datetime' => 'immutable_datetime', 'immutable_datetime_format' => 'immutable_datetime:Y',
            'timestamp' => 'timestamp',
            'encrypted' => 'encrypted', 'encrypted_array' => 'encrypted:array',
            'encrypted_object' => 'encrypted:object', 'encrypted_collection' => 'encrypted:collection',
            'hashed' => 'hashed', 'point' => PointCast::class,
        ];
    }

    protected function mutated(): Attribute
    {
        return Attribute::make(set: static fn (string $value): string => strrev($value));
    }

    public function setMutatedAsOfOldAttribute(string $value): void
    {
        $this->attributes['mutated_as_of_old'] = strtoupper($value);
    }

    /** @return ArrayObject<array-key, mixed>|null what a cast object holds, changed in place */
    public function arrayObject(): ?ArrayObject
    {
        $object = $this->getAttribute('array_object');

        return $object instanceof ArrayObject ? $object : null;
    }
}
