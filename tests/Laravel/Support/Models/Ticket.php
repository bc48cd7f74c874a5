<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Models;

use Headroom\Laravel\Eloquent\BuffersWrites;
use Illuminate\Database\Eloquent\Concerns\HasUlids;
use Illuminate\Database\Eloquent\Model;

final class Ticket extends Model
{
    use BuffersWrites;
    use HasUlids;

    public $timestamps = false;

    protected $table = 'tickets';

    protected $guarded = [];
}
